import { patience } from './patience.ts';
import type { View } from './plan.ts';
import type { JsonObject } from './resource.ts';
import type { Step } from './step.ts';

/** A resource that another one has made and answers for. */
export interface ChildRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  /** Id of its workflow. */
  readonly id: string;
}

/** The lane of what a resource has made of other resources. */
const CHILDREN = 'children';
const APPLY_MS = 5 * 60_000;
const REMOVE_MS = 60_000;

/** The children there are, as the last step of their lane left them; deletion goes by this, not by the spec. */
export function inventoryOf(view: Pick<View, 'observed'>): readonly ChildRef[] {
  const value = view.observed[CHILDREN]?.value as { readonly children?: readonly ChildRef[] } | null | undefined;
  return value?.children ?? [];
}

/**
 * The step that brings the children to what is wished; none when that was done already.
 *
 * @param wish names the list: the same list under the same name is brought there once.
 */
export function applyChildren(view: View, children: readonly JsonObject[], wish: string): readonly Step[] {
  const key = `children/${wish}`;
  if (view.observed[CHILDREN]?.key === key) return [];
  if (children.length === 0 && inventoryOf(view).length === 0) return [];
  const { retry, ...limit } = patience(view, CHILDREN, key, APPLY_MS);
  return [
    {
      key,
      about: CHILDREN,
      activity: 'applyChildren',
      reason: 'ApplyingChildren',
      summary: `apply ${children.length} ${children.length === 1 ? 'child' : 'children'}`,
      input: { apiVersion: view.apiVersion, kind: view.kind, children, inventory: inventoryOf(view) },
      with: ['metadata'],
      timeouts: { ...limit, startToCloseMs: APPLY_MS, heartbeatMs: 30_000 },
      retry,
    },
  ];
}

/** Whether the children of this generation are as they were wished at least once. */
export function hasAppliedChildren({ observed, metadata }: View): boolean {
  return observed[CHILDREN]?.generation === metadata.generation;
}

/**
 * The step that deletes all children, youngest first, and waits until they are gone; none when there never were any.
 *
 * @param hasWished children were wished, so some may be there that a failed step could not put into the inventory.
 */
export function removeChildren(view: View, hasWished: boolean): readonly Step[] {
  const inventory = inventoryOf(view);
  const key = `childrenGone/${view.metadata.uid}`;
  if ((inventory.length === 0 && !hasWished) || view.observed[CHILDREN]?.key === key) return [];
  const { retry, ...limit } = patience(view, CHILDREN, key, REMOVE_MS);
  return [
    {
      key,
      about: CHILDREN,
      activity: 'removeChildren',
      reason: 'RemovingChildren',
      summary: 'delete all children',
      input: { kind: view.kind, inventory },
      with: ['metadata'],
      timeouts: { ...limit, startToCloseMs: REMOVE_MS },
      retry,
    },
  ];
}
