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
const historyEntry = z.object({
  job: z.string(),
  state: z.enum(requestStates),
  timestamp: z.string(),
  actor: z.string(),
  attempt: z.int(),
});

export type HistoryEntry = Readonly<z.infer<typeof historyEntry>>;

/** A worker's exclusive right to a job, until it lapses. */
export interface Claim {
  readonly worker: string;
  readonly until: number;
}

export const requestStateStatus = z.object({
  state: z.enum(requestStates),
  job: z.string(),
  attempt: z.int(),
  history: z.array(historyEntry).readonly(),
  historyCut: z.int().describe('How many of the oldest entries were cut off'),
  claim: z.object({ worker: z.string(), expiresAt: z.string(), expired: z.boolean() }).optional(),
});

export type RequestStateStatus = z.infer<typeof requestStateStatus>;
