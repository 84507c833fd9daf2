import { z } from 'zod';
import { checkWith } from '../core/issues/index.ts';
import type { Command, Effect } from '../core/kind.ts';
import type { View } from '../core/plan.ts';
import { listed, quote } from '../core/quote.ts';
import { RETRY, RUN, runWordOf, stepLane } from './control.ts';
import { isFinished } from './finished.ts';
import { lastStepOf, mayBeUndone } from './last-steps.ts';
import { hasEnded, withInner } from './node.ts';
import { restartsAfter } from './retry.ts';
import { assessRun } from './run.ts';
import type { StepStatus, WorkflowRunSpec } from './schema.ts';

type RunCommand = Command<WorkflowRunSpec>;
type RunEffect = Effect<WorkflowRunSpec>;

const who = { by: z.string().min(1).max(200).optional(), message: z.string().max(1_024).optional() };
const answerArgs = z.strictObject({ step: z.string().min(1), values: z.record(z.string(), z.unknown()).optional(), ...who });
const stepArgs = z.strictObject({ step: z.string().min(1), ...who });
const runArgs = z.strictObject(who);

/** The answer that a suspended step waits for. Values become outputs of the step. */
const answer =
  (verdict: 'approve' | 'reject'): RunCommand =>
  (view, args, { actor }) => {
    const checked = checkWith(answerArgs, args, 'args');
    if ('issues' in checked) return checked;
    const { step, values, by = actor, message } = checked.value;
    const entries = (view.status?.steps ?? {}) as Readonly<Record<string, StepStatus>>;
    const waiting = Object.keys(entries).filter((path) => entries[path]?.phase === 'Suspended');
    if (isFinished(view) || !waiting.includes(step)) {
      return refuse(`${quote(step)} does not wait for an answer; waiting: ${listed(waiting) || 'none'}`);
    }
    return {
      remember: { [stepLane(step)]: { verdict, by, ...(values ? { values } : {}), ...(message ? { message } : {}) } },
      answer: { step, verdict, by },
    };
  };

/** A step that has not ended well is left out, as if its condition were not true; what it was doing is cancelled. */
const skip: RunCommand = (view, args, { actor }) => {
  const checked = checkWith(stepArgs, args, 'args');
  if ('issues' in checked) return checked;
  const { step, by = actor, message } = checked.value;
  if (isFinished(view)) return refuse('the run has ended; a retry begins its failed part again');
  const isAtEnd = /^(exit|undo)\./.test(step);
  if (isOver(view) && !isAtEnd) return refuse('the run is ending: only what is done at the end can be skipped');
  const run = assessRun(view);
  const node = isAtEnd ? lastStepOf(run, step) : withInner(run.nodes).find(({ path }) => path === step);
  if (!node && mayBeUndone(run, step)) return refuse(`nothing is undone yet: ${step} can be skipped when the run undoes its steps`);
  if (!node) return { issues: [{ path: 'args.step', message: `there is no step ${quote(step)}` }] };
  if (hasEnded(node) && node.phase !== 'Failed') return refuse(`${step} has ended already: it is ${node.phase}`);
  return { remember: { [stepLane(step)]: { verdict: 'skip', by, ...(message ? { message } : {}) } }, answer: { step, by } };
};

/** What failed, and what was left out because of it, begins again in the same run; what has ended well stays. */
const retry: RunCommand = (view, args, { now }) => {
  const checked = checkWith(runArgs, args, 'args');
  if ('issues' in checked) return checked;
  if (view.status?.ending !== undefined && !isFinished(view)) return refuse('the run is ending: wait until it has ended');
  if (view.status?.phase === 'Succeeded') return refuse('the run has succeeded: nothing is left to be done again');
  const restarts = restartsAfter(view, now);
  if (restarts.paths.length === 0 && !isFinished(view)) return refuse('no step has failed');
  const words = restarts.paths.filter((path) => view.observed[stepLane(path)]?.value).map((path) => [stepLane(path), null]);
  const { paused } = runWordOf(view);
  return {
    remember: { [RETRY]: restarts.restarts, [RUN]: paused ? { paused } : {}, ...Object.fromEntries(words) },
    answer: { steps: restarts.paths.filter((path) => !path.startsWith('exit.') && !path.startsWith('undo.')) },
  };
};

const pause: RunCommand = (view, args) => {
  const checked = checkWith(runArgs, args, 'args');
  if ('issues' in checked) return checked;
  if (isFinished(view)) return refuse(ended(view));
  return { remember: { [RUN]: { ...runWordOf(view), paused: true } }, answer: { paused: true } };
};

/** Also takes back what the spec says of pausing; of a run that has ended, for a retry of it. */
const resume: RunCommand = (view, args) => {
  const checked = checkWith(runArgs, args, 'args');
  if ('issues' in checked) return checked;
  const isPaused = runWordOf(view).paused || view.spec.suspend;
  if (isFinished(view) && !isPaused) return refuse(ended(view));
  const spec = view.spec.suspend ? { spec: { ...view.spec, suspend: false } } : {};
  return { ...spec, remember: { [RUN]: { ...runWordOf(view), paused: false } }, answer: { paused: false } };
};

/** Ends a run before its time. Cancelled, it undoes and does what is to be done at the end; terminated, it just stops. */
const stop =
  (how: 'cancel' | 'terminate'): RunCommand =>
  (view, args, { actor }) => {
    const checked = checkWith(runArgs, args, 'args');
    if ('issues' in checked) return checked;
    if (isFinished(view)) return refuse(ended(view));
    if (how === 'cancel' && view.status?.ending !== undefined && isOver(view)) return refuse('the run is ending already');
    const { by = actor, message } = checked.value;
    return { remember: { [RUN]: { ...runWordOf(view), stop: { how, by, ...(message ? { message } : {}) } } }, answer: { how } };
  };

/** Whether the steps have come out already, so that nothing can be said to them any more. */
function isOver(view: View<WorkflowRunSpec>): boolean {
  const { status } = view;
  const said = status?.ending as { readonly retries?: number } | undefined;
  return isFinished(view) || (said !== undefined && said.retries === Number(status?.retries ?? 0) && !isBegunAgain(view));
}

/** A retry was asked for, and the status does not know it yet. */
const isBegunAgain = (view: View<WorkflowRunSpec>): boolean => {
  const { retries = 0 } = (view.observed[RETRY]?.value ?? {}) as { readonly retries?: number };
  return retries > Number(view.status?.retries ?? 0);
};

const ended = ({ status }: View<WorkflowRunSpec>): string => `the run has ended already: it is ${status?.phase}`;

const refuse = (message: string): RunEffect => ({ refuse: { type: 'Conflict', message } });

export const commands: Readonly<Record<string, RunCommand>> = {
  approve: answer('approve'),
  reject: answer('reject'),
  skip,
  retry,
  pause,
  resume,
  cancel: stop('cancel'),
  terminate: stop('terminate'),
};
