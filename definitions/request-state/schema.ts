import { z } from 'zod';

/** REQUESTED → STARTED → COMPLETED, and the ways it can end otherwise. */
export const requestStates = ['REQUESTED', 'STARTED', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'] as const;

export type RequestStateName = (typeof requestStates)[number];

export const requestStateSpec = z.strictObject({
  'request-uid': z.string().min(1).max(253).describe('Who this request is for the outside world'),
  job: z.string().min(1).max(253).describe('What is to be done now'),
  state: z.enum(requestStates).describe('How far it is'),
});

export type RequestStateSpec = z.infer<typeof requestStateSpec>;

/** One change of state, as it was seen. */
export interface HistoryEntry {
  readonly job: string;
  readonly state: RequestStateName;
  readonly timestamp: string;
  readonly actor: string;
  readonly attempt: number;
}

/** A worker's exclusive right to a job, until it lapses. */
export interface Claim {
  readonly worker: string;
  readonly until: number;
}

export interface RequestStateStatus {
  readonly state: RequestStateName;
  readonly job: string;
  readonly attempt: number;
  readonly history: readonly HistoryEntry[];
  /** How many of the oldest entries were cut off. */
  readonly historyCut: number;
  readonly claim?: { readonly worker: string; readonly expiresAt: string; readonly expired: boolean };
}
