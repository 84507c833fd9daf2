/** What the bare entity is told. */
export interface Wish {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** The same handler serves bare and ours; see processes/executor.ts. */
export interface BareActivities {
  reconcile(input: Wish): Promise<unknown>;
  nothing(input: { readonly kwargs: Readonly<Record<string, unknown>> }): Promise<unknown>;
}

export const BARE_QUEUE = 'bare';
