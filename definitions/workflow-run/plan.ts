import { forgottenChildren } from '../core/children.ts';
import type { Plan, View } from '../core/plan.ts';
import type { Step } from '../core/step.ts';
import { msOf } from '../flows/duration.ts';
import { isBusy } from './assess.ts';
import { dropped } from './dropped.ts';
import { atEnd, cameOut, failuresOf, saidEnding } from './ending.ts';
import { finished, isFinished } from './finished.ts';
import { keepSteps } from './keeping.ts';
import { landingsNeeded } from './landings.ts';
import { leaving, tellingAfter } from './leaving.ts';
import { bringAnew } from './made-anew.ts';
import { hasEnded, type Node, withInner } from './node.ts';
import { assessRun, type Run } from './run.ts';
import type { Ending, RunPhase, WorkflowRunSpec } from './schema.ts';
import { endedText, failureText, joined } from './sentences.ts';
import { type Gate, OPEN, PAUSED, SHUT, Starter } from './start.ts';
import { conditionsOf, type Picture, statusOf, suspendedOf } from './status.ts';
import { stillTold, telling } from './telling.ts';
import { spanText, tooLong } from './words.ts';

/**
 * Plans a run: which steps may be under way now, and how far it is.
 *
 * Guarantees: no step starts before its needs; what has ended stays as it is until somebody asks for a retry; what undoes
 * steps and what is done at the end begins only when nothing else is in the air; a finished run only tells those who shall know.
 */
export function plan(view: View<WorkflowRunSpec>): Plan {
  if (view.deleting) return leaving(view);
  if (isFinished(view)) return finished(view, tellingAfter(view));
  const run = assessRun(view);
  if (run.stop === 'terminate') return terminated(run);
  const ending = endingOf(run);
  return ending ? closingPlan(run, ending) : runningPlan(run);
}

function terminated(run: Run): Plan {
  const said = saidEnding(run);
  const main = dropped(run.circle, run.nodes, TERMINATED);
  const { undo, exit, last } = said ? atEnd(run, said, main) : { undo: [], exit: [], last: run.circle };
  const nodes = [...main, ...dropped(last, [...undo.filter(({ path }) => last.facts.entryOf(path)), ...exit], TERMINATED)];
  const tells = tellingAfter(run.view);
  const picture: Picture = { nodes, main, phase: 'Terminated', reason: 'Terminated', message: run.stopMessage, isFinal: true };
  return { ...pictured(run, { ...picture, notifications: tells.lines }, tells.steps), notes: tells.notes };
}

const TERMINATED = 'The run was terminated.';

/** How the steps came out, once none of them will do anything more; as it was said first. */
function endingOf(run: Run): Ending | undefined {
  const { view, circle, nodes, stop, retries } = run;
  const said = saidEnding(run);
  if (said) return said;
  if (circle.facts.isAirborne) return undefined;
  const failures = failuresOf(nodes);
  const isClosed = failures.length > 0 && circle.failFast && !nodes.some((node) => isBusy(circle, node));
  const isOver = nodes.every(hasEnded);
  const end = (status: Ending['status'], reason: string, message: string): Ending => ({
    status,
    reason,
    message,
    at: new Date(view.now).toISOString(),
    retries,
  });
  if (stop && !isOver) return end('Cancelled', 'Cancelled', run.stopMessage);
  if (isLate(run) && !isOver) return end('Failed', 'TimedOut', tooLong('The run', spanText(view.spec.timeout)));
  if (failures.length > 0 && (isOver || isClosed)) return end('Failed', 'StepFailed', joined(failures.map(failureText)));
  return isOver ? end('Succeeded', 'Succeeded', endedText('All steps', nodes)) : undefined;
}

function deadlineOf({ view, circle }: Run): number | undefined {
  const limitMs = msOf(view.spec.timeout);
  const startedAt = view.status?.startedAt;
  const since = typeof startedAt === 'string' ? Date.parse(startedAt) : view.now;
  return limitMs === undefined ? undefined : Math.max(since, circle.facts.restarts.at) + limitMs;
}

const isLate = (run: Run): boolean => (deadlineOf(run) ?? Number.POSITIVE_INFINITY) <= run.view.now;

function runningPlan(run: Run): Plan {
  const { view, circle, nodes, isPaused, stop } = run;
  const starter = new Starter(view, circle, nodes);
  const gate: Gate = stop || isLate(run) ? SHUT : isPaused ? PAUSED : OPEN;
  starter.level(nodes, gate);
  const deadline = deadlineOf(run);
  if (deadline !== undefined && gate !== SHUT) starter.wakeAts.push(deadline);
  const waiting = suspendedOf(nodes, starter.begun);
  const phase = phaseOf(run, starter, waiting.length > 0);
  const isForTime = phase === 'Suspended' && !waiting.some(({ isAsking }) => isAsking);
  const message = isForTime ? 'Waits for time to pass.' : (WORDS[phase] ?? '');
  const tells = stillTold(view, circle.facts);
  const picture: Picture = { nodes, phase, reason: phase, message, isFinal: false, notifications: tells.lines };
  const others = [...tells.steps, ...keepSteps(run, nodes)];
  const isSteady = gate === OPEN && others.length === 0 && starter.wishes.length === 0 && view.spec.parallelism === undefined;
  const landings = isSteady ? landingsNeeded(nodes, new Set(starter.steps.map(({ about }) => about))) : 1;
  return { ...pictured(run, picture, others, starter), landings, notes: tells.notes };
}

const WORDS: Partial<Record<RunPhase, string>> = {
  Pending: 'No step has started yet.',
  Running: 'Steps are under way.',
  Suspended: 'Waits for an approval.',
  Paused: 'Nothing new starts until it is resumed.',
};

function phaseOf({ nodes, isPaused, stop, circle }: Run, { begun, steps, wishes }: Starter, isSuspended: boolean): RunPhase {
  if (isPaused && !stop) return 'Paused';
  const leaves = withInner(nodes).filter(({ children }) => !children);
  const isRunning = steps.length > 0 || wishes.length > 0 || leaves.some(({ phase }) => phase === 'Running');
  if (isSuspended && !isRunning && !stop) return 'Suspended';
  const hasStarted = begun.size > 0 || nodes.some((node) => hasEnded(node) || node.attempts > circle.facts.baseOf(node.path));
  return hasStarted ? 'Running' : 'Pending';
}

/** The steps have come out: what must be undone is undone, then comes what is done at the end, then it is over. */
function closingPlan(run: Run, ending: Ending): Plan {
  const { view, circle, isPaused, stop } = run;
  const main = cameOut(run, ending);
  const gate = isPaused && !stop ? PAUSED : OPEN;
  const { undo, next, exit, last } = atEnd(run, ending, main);
  const starter = new Starter(view, last, [...(next ? [next] : []), ...exit]);
  starter.level(next ? [next] : exit, gate);
  const undone = new Set(undo.filter(({ phase }) => phase !== 'Skipped').map(({ path }) => path.slice('undo.'.length)));
  const kept = keepSteps(run, [...main, ...exit], undone);
  const tells = telling(view, circle.facts, ending, () => main);
  const nodes = [...main, ...undo.filter((node) => hasEnded(node) || node === next), ...exit];
  const isFinal = !next && exit.every(hasEnded) && kept.length === 0;
  const broken = [...undo, ...failuresOf(exit)].filter(({ phase }) => phase === 'Failed');
  const status = broken.length > 0 && ending.status === 'Succeeded' ? 'Failed' : ending.status;
  const message = isFinal ? lastWords(ending, [...main, ...exit], broken) : ending.message;
  const phase: RunPhase = isFinal ? status : gate === PAUSED ? 'Paused' : 'Running';
  const reason = status === ending.status ? ending.reason : 'StepFailed';
  const picture: Picture = { nodes, main, phase, reason, message, isFinal, ending, notifications: tells.lines };
  return { ...pictured(run, picture, [...tells.steps, ...kept], starter), notes: tells.notes };
}

/** How it came out, with what was done at the end. */
function lastWords({ status, message }: Ending, nodes: readonly Node[], broken: readonly Node[]): string {
  if (status !== 'Succeeded') return joined([message, ...broken.map(failureText)]);
  const others = nodes.filter((node) => !broken.includes(node));
  return joined([endedText(broken.length > 0 ? 'All other steps' : 'All steps', others), ...broken.map(failureText)]);
}

/** The plan with its status: what is shown of steps, and what changed of the whole. */
function pictured(run: Run, picture: Picture, others: readonly Step[], starter?: Starter): Plan {
  const { view } = run;
  const status = statusOf(run, picture, starter?.begun ?? new Map());
  const conditions = conditionsOf(picture, starter?.begun ?? new Map());
  const children = starter && starter.wishes.length > 0 ? bringAnew(view, starter.wishes) : [];
  const wakeAt = Math.min(...(starter?.wakeAts ?? []), ...retireAt(view, picture));
  const isSame =
    view.status?.phase === picture.phase &&
    conditions.every(({ type, status: now, reason }) =>
      view.status?.conditions?.some((one) => one.type === type && one.status === now && one.reason === reason),
    );
  return {
    steps: [...(starter?.steps ?? []), ...others, ...children],
    status,
    conditions,
    phase: picture.phase,
    observedGeneration: view.metadata.generation,
    ...(Number.isFinite(wakeAt) ? { wakeAt } : {}),
    ...(isSame && !picture.isFinal ? { inDetail: true } : {}),
    forget: forgottenChildren(view),
  };
}

function retireAt({ now, spec: { ttlSecondsAfterFinished: ttl } }: View<WorkflowRunSpec>, { isFinal }: Picture): readonly number[] {
  return isFinal && ttl !== undefined ? [now + ttl * 1_000] : [];
}
