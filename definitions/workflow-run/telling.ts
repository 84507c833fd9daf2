import type { Note } from '../core/decision.ts';
import type { View } from '../core/plan.ts';
import { shorten } from '../core/quote.ts';
import type { JsonObject } from '../core/resource.ts';
import type { Failing, Step } from '../core/step.ts';
import { durationText } from '../flows/duration.ts';
import type { Facts } from './facts.ts';
import { ONCE } from './flight.ts';
import { type Node, withInner } from './node.ts';
import type { Ending, Notification, WorkflowRunSpec } from './schema.ts';

/** Those who want to know of a failure: who is being told now, and what came of it so far. */
export interface Telling {
  readonly steps: readonly Step[];
  /** In the order of the addresses. */
  readonly lines: readonly Notification[];
  /** Who was found not to be told since the last status. */
  readonly notes: readonly Note[];
}

export const NOBODY: Telling = { steps: [], lines: [], notes: [] };

const NOTIFY_MS = 30_000;
const QUEUE = 'notifications';
const MAX_SHOWN_CHARS = 200;

/**
 * Tells those who want to know of a failure.
 *
 * Guarantees: each is tried once for each end of the run, of an earlier end first; who was not told stands in the status, and on the
 * record once.
 *
 * @param nodes how the steps came out; asked for only while there is somebody left to tell.
 */
export function telling(view: View<WorkflowRunSpec>, facts: Facts, ending: Ending, nodes: () => readonly Node[]): Telling {
  if (ending.status !== 'Failed') return stillTold(view, facts);
  const told = addresseesOf(view).map(({ to, about }) => {
    const key = `${about}/r${facts.restarts.retries}`;
    return { to, about, key, line: lineOf(to, facts.answer(about, key), facts.trouble(about, key)) };
  });
  const open = told.filter(({ line }) => line.phase === 'Sending');
  const run = open.length > 0 ? newsOf(view, ending, nodes()) : {};
  const lines = told.map(({ line }) => line);
  const steps = open.map((one) => {
    const earlier = inAirOf(view, one.about) ?? one.key;
    return earlier === one.key ? stepOf(view, one, run) : stepOf(view, { ...one, key: earlier }, {});
  });
  return { steps, lines, notes: notesOf(linesOf(view), lines) };
}

/**
 * Those who are being told of an end that does not count any more, since somebody asked for a retry or terminated the run. They are
 * told to the end: it did fail.
 */
export function stillTold(view: View<WorkflowRunSpec>, { restarts: { at } }: Facts): Telling {
  const lines = addresseesOf(view).flatMap(({ to, about }) => {
    const [answer, trouble] = [view.observed[about], view.failing[about]];
    if (inAirOf(view, about) !== undefined) return [lineOf(to, undefined, undefined)];
    if (trouble && trouble.since > at) return [lineOf(to, undefined, trouble)];
    return answer && answer.at > at ? [lineOf(to, answer, undefined)] : [];
  });
  const steps = addresseesOf(view).flatMap(({ to, about }) => {
    const key = inAirOf(view, about);
    // What they are told is in the air already.
    return key === undefined ? [] : [stepOf(view, { to, about, key }, {})];
  });
  return { steps, lines, notes: notesOf(linesOf(view), lines) };
}

const addresseesOf = ({ spec: { onFailure } }: View<WorkflowRunSpec>): readonly Omit<Addressee, 'key'>[] =>
  (onFailure?.notify ?? []).map((to, index) => ({ to, about: `notify/${index}` }));

const inAirOf = ({ inAir = [] }: View<WorkflowRunSpec>, about: string): string | undefined =>
  inAir.find((key) => key.startsWith(`${about}/r`));

/** The same of a run that has come to its end, which costs nothing once everybody was told or was not. */
export function stillTelling(view: View<WorkflowRunSpec>, facts: Facts, ending: Ending, nodes: () => readonly Node[]): Telling {
  const before = linesOf(view);
  return before.some(({ phase }) => phase === 'Sending') ? telling(view, facts, ending, nodes) : { ...NOBODY, lines: before };
}

const linesOf = ({ status }: View<WorkflowRunSpec>): readonly Notification[] => (status?.notifications ?? []) as readonly Notification[];

function lineOf(to: string, answer: unknown, trouble: Failing | undefined): Notification {
  const shown = shorten(to, MAX_SHOWN_CHARS);
  if (trouble) return { to: shown, phase: 'Failed', message: shorten(reasonOf(trouble), MAX_SHOWN_CHARS) };
  return { to: shown, phase: answer ? 'Sent' : 'Sending' };
}

function reasonOf({ reason, message }: Failing): string {
  if (reason === 'ExecutorUnavailable') return `nobody serves the task queue ${QUEUE}`;
  return reason === 'TimedOut' ? `no answer within ${durationText(NOTIFY_MS)}` : message;
}

function newsOf({ metadata, spec, status }: View<WorkflowRunSpec>, ending: Ending, nodes: readonly Node[]): JsonObject {
  const failed = withInner(nodes).filter(({ phase, children }) => phase === 'Failed' && !children);
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    uid: metadata.uid,
    ...(spec.workflow === undefined ? {} : { workflow: spec.workflow }),
    status: ending.status,
    message: ending.message,
    startedAt: status?.startedAt,
    failedSteps: failed.slice(0, 20).map(({ path, message = '' }) => ({ step: path, message: message.slice(0, 200) })),
  };
}

interface Addressee {
  readonly to: string;
  readonly about: string;
  readonly key: string;
}

function stepOf({ metadata, tuning }: View<WorkflowRunSpec>, { to, about, key }: Addressee, run: JsonObject): Step {
  const isAddress = /^https?:\/\//.test(to);
  return {
    key,
    about,
    activity: 'notify',
    ...(isAddress ? {} : { queue: QUEUE }),
    reason: 'Notifying',
    summary: `tell ${to}`.slice(0, 200),
    input: { to, run, idempotencyKey: `${metadata.uid}/${key}` },
    timeouts: { startToCloseMs: NOTIFY_MS, scheduleToStartMs: tuning.scheduleToStartMs },
    retry: ONCE,
    unbroken: true,
  };
}

function notesOf(before: readonly Notification[], after: readonly Notification[]): readonly Note[] {
  const known = new Set(before.flatMap(({ to, phase }) => (phase === 'Failed' ? [to] : [])));
  return after.flatMap(({ to, phase, message = '' }) =>
    phase === 'Failed' && !known.has(to)
      ? [{ type: 'Warning' as const, reason: 'NotNotified', message: `${to} was not told: ${message.replace(/\.$/, '')}.` }]
      : [],
  );
}
