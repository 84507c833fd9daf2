import { ColonyError } from './errors.ts';
import { TASK_QUEUE } from './task-queue.ts';

/** Which rows of Temporal's index: all resources, those of a kind, or those of a kind in a namespace. */
export interface Scope {
  readonly kind?: KindScope;
  /** Only with a kind. */
  readonly namespace?: string;
}

export interface KindScope {
  readonly kind: string;
  readonly plural: string;
  readonly group: string;
}

const SAFE = /^[A-Za-z0-9./:-]+$/;

/** Resources that exist. */
export const existing = (scope: Scope): string => `${within(scope)} AND ExecutionStatus = 'Running'`;

/** Resources that exist and were written since. */
export const changedSince = (scope: Scope, sinceMs: number): string => `${existing(scope)} AND ColonyChangedAt >= ${time(sinceMs)}`;

/** Resources whose run began since: new ones, and those that rolled over. Apart from `changedSince`, because an OR costs the index. */
export const startedSince = (scope: Scope, sinceMs: number): string => `${existing(scope)} AND StartTime >= ${time(sinceMs)}`;

/**
 * Resources whose workflow has ended since; a run that handed over to the next has not. The upper bound keeps the database from
 * reading all open rows, whose close time counts as the end of days (2 ms instead of 18 at 10,000 resources).
 */
export function endedSince(scope: Scope, sinceMs: number): string {
  const ended = `ExecutionStatus != 'Running' AND ExecutionStatus != 'ContinuedAsNew'`;
  return `${within(scope)} AND ${ended} AND CloseTime BETWEEN ${time(sinceMs)} AND '2999-01-01T00:00:00Z'`;
}

/** Resources that exist and have one of these owners, as `ownerKeyOf` names them. */
export const ownedBy = (owners: readonly string[]): string =>
  `TaskQueue = ${literal(TASK_QUEUE)} AND ColonyOwner IN (${owners.map(literal).join(', ')}) AND ExecutionStatus = 'Running'`;

function within({ kind, namespace }: Scope): string {
  if (!kind) return `TaskQueue = ${literal(TASK_QUEUE)}`;
  const prefix = `${kind.plural}.${kind.group}/${namespace === undefined ? '' : `${namespace}/`}`;
  return `WorkflowType = ${literal(kind.kind)} AND WorkflowId STARTS_WITH ${literal(prefix)}`;
}

/** The second lock after names were validated: nothing that could leave the quotes gets into a query. */
function literal(text: string): string {
  if (!SAFE.test(text)) throw new ColonyError('Invalid', `${JSON.stringify(text)} cannot be part of a query`);
  return `'${text}'`;
}

const time = (ms: number): string => `'${new Date(ms).toISOString()}'`;
