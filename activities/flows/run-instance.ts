import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CancelledFailure, Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ImagePin, InstanceExit, InstanceOwner } from '../../definitions/core/instance.ts';
import type { Template } from '../../definitions/core/template.ts';
import { durationText } from '../../definitions/flows/duration.ts';
import { type Reporting, whileReporting } from '../instances/reporting.ts';
import { hint } from '../instances/sync-instances.ts';
import { Turns } from '../instances/turns.ts';
import type { Warden } from '../instances/warden.ts';
import { Problem, type Runtime, type Seen, Unreachable } from '../runtimes/runtime.ts';
import type { Revealer } from '../secrets/revealer.ts';
import { fitting } from './fitting.ts';
import { asWords, outputOf } from './output.ts';
import { SharedLook } from './shared-look.ts';

export interface RunInstanceRequest {
  readonly owner: InstanceOwner;
  /** Which step of the run; unique within it. */
  readonly path: string;
  /** Grows whenever the step shall run anew; the same while only its answer got lost. */
  readonly attempt: number;
  /** Attempts up to this one do not count: their ends were heard, or the step was undone since. */
  readonly heard?: number;
  readonly template: Template;
}

export interface RunInstanceResult {
  readonly exitCode: number;
  readonly signal?: string;
  /** It was ended because it wanted more memory than it may have. */
  readonly oom?: true;
  /** The end of what it said on stdout, without the end of the last line. */
  readonly output: string;
}

/** What one call works with. */
interface Errand {
  readonly runtime: Runtime;
  readonly owner: InstanceOwner;
  readonly digest: string;
  readonly request: RunInstanceRequest;
  readonly reporting: Reporting;
  /** How long it may run, also when several calls waited for it. */
  readonly limitMs: number;
  /** When this call has no more time. */
  readonly until: number;
  readonly shared: SharedLook;
}

const LOOK_AGAIN_MS = 250;
/** How far the server's clock may be ahead when it says that a call took too long. */
const CLOCKS_MS = 500;

/**
 * The activity `runInstance`: one container or process of a step, from its start to its end.
 *
 * Guarantees: one attempt is started once. Its name is made of run and step, its slot is the attempt, so whoever comes after a lost
 * answer or a dead agent finds it, running or ended, and takes its end for the answer. Ends that were told stay until the run is
 * finished or gone (see Leftovers), or until the step's next attempt: only then nobody can ask for them again.
 * A cancel stops it, with its grace, and removes it; an agent that goes away leaves it running.
 */
export function createRunInstance(warden: Warden, revealer?: Revealer): (request: RunInstanceRequest) => Promise<RunInstanceResult> {
  const turns = new Turns();
  const shared = new SharedLook();
  return (request) =>
    whileReporting((reporting) => {
      const { owner, path, template } = request;
      const runtime = runtimeOf(warden, template);
      const { startToCloseTimeoutMs: limitMs } = Context.current().info;
      const until = Date.now() + limitMs - Math.min(CLOCKS_MS, limitMs / 10);
      const errand: Errand = { runtime, owner, digest: digestOfPath(path), request, reporting, shared, limitMs, until };
      // A call that timed out may still be stopping what it started.
      return turns.take(`${owner.uid}/${path}`, () => run(warden, revealer, errand));
    });
}

async function run(warden: Warden, revealer: Revealer | undefined, errand: Errand): Promise<RunInstanceResult> {
  const { reporting, request, limitMs } = errand;
  // First what is secret, which may end a line itself.
  const words = async (text: string): Promise<string> => asWords((await revealer?.conceal(text, request.template)) ?? text);
  try {
    const { id } = await patiently(errand, () => begin(warden, errand));
    const exit = await untilEnded(errand, id, Date.now());
    const { stdout, stderr } = await patiently(errand, () => wordsOf(errand, id));
    if (exit.code !== 0) throw exitFailure(exit, await words(stdout), await words(stderr));
    return { exitCode: 0, output: fitting(await words(stdout), 'end') };
  } catch (error) {
    if (error instanceof Problem) throw failureOf(error);
    if (error instanceof TooLate) {
      await end(errand);
      throw ApplicationFailure.retryable(`It took longer than its timeout of ${durationText(limitMs)}.`, 'TimedOut');
    }
    if (error instanceof ApplicationFailure || !reporting.signal.aborted) throw error;
    throw await afterCancel(errand);
  }
}

/** What it said; whoever removed it has taken that along. */
async function wordsOf(errand: Errand, id: string): ReturnType<typeof outputOf> {
  try {
    return await outputOf(errand.runtime, id);
  } catch (error) {
    if (error instanceof Unreachable || (await listed(errand)).some((one) => one.id === id)) throw error;
    throw gone();
  }
}

/** What the node does not allow now it will not allow at another attempt; everything else may go better then. */
const failureOf = ({ message, reason }: Problem): ApplicationFailure =>
  ApplicationFailure.create({ message, type: reason, nonRetryable: reason === 'Blocked' });

/** While its runtime cannot be asked, nothing is known and nothing is done. */
async function patiently<T>(errand: Errand, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      await pause(errand, undefined);
    }
  }
}

/** It has run for longer than it may. */
class TooLate extends Error {}

/** The instance of this attempt, or of an earlier one whose end nobody heard of. */
async function begin(warden: Warden, errand: Errand): Promise<Seen> {
  const { runtime, owner, digest, request, reporting } = errand;
  const { attempt, heard = 0, template } = request;
  const [there, ...older] = await listed(errand);
  if (there && there.slot > attempt) throw ApplicationFailure.nonRetryable('A later attempt of the step has begun.', 'Outdated');
  const isAdopted = there && (there.slot === attempt || (there.slot > heard && isUnheard(there)));
  for (const one of isAdopted ? older : [there, ...older]) if (one) await runtime.remove(owner.uid, one.id, template.stop);
  if (isAdopted && there.state !== 'created') return there;
  const image = await imageOf(errand);
  const revision = { digest, generation: 1, template, ...(image ? { image } : {}) };
  reporting.report({ doing: 'starting', done: 0, total: 1 });
  await warden.gate(() => runtime.ensure(owner, revision, isAdopted ? there.slot : attempt, { once: true }));
  const [made] = await listed(errand);
  if (made) return made;
  throw gone();
}

/** An attempt that still runs, or did all it should: had anybody heard, there would not be another one, unless the run says so. */
const isUnheard = ({ state, exit }: Seen): boolean => state === 'running' || state === 'paused' || exit?.code === 0;

async function imageOf({ runtime, request, reporting }: Errand): Promise<ImagePin | undefined> {
  const { image, pullPolicy } = request.template;
  if (image === undefined) return undefined;
  const report = (doing: string): void => reporting.report({ doing, done: 0, total: 1 });
  const { pin, problem } = await runtime.resolveImage(image, pullPolicy, report, reporting.signal);
  if (problem) throw ApplicationFailure.retryable(problem.message, problem.reason);
  return pin;
}

/** Looks until it has ended. While its runtime cannot be asked, nothing is known and nothing is done. */
async function untilEnded(errand: Errand, id: string, begunAt: number): Promise<InstanceExit> {
  const { limitMs } = errand;
  for (;;) {
    const seen = await look(errand, id, begunAt);
    if (seen?.exit && (seen.state === 'exited' || seen.state === 'dead')) return seen.exit;
    if (seen?.startedAt && Date.now() - Date.parse(seen.startedAt) > limitMs) throw new TooLate();
    await pause(errand, seen);
  }
}

/** Until the next look, or until nobody wants one. */
async function pause({ reporting, runtime }: Errand, seen: Seen | undefined): Promise<void> {
  reporting.report({ doing: seen ? `runs as ${seen.name}` : `waits for runtime ${runtime.name}`, done: 0, total: 1 });
  await sleep(LOOK_AGAIN_MS, undefined, { signal: reporting.signal });
}

/** Undefined while nobody knows. */
async function look(errand: Errand, id: string, notBefore: number): Promise<Seen | undefined> {
  try {
    const { shared, runtime, owner } = errand;
    const seen = (await shared.list(runtime, owner.uid, LOOK_AGAIN_MS, notBefore)).find((one) => one.id === id);
    if (!seen) throw gone();
    return seen;
  } catch (error) {
    if (error instanceof Unreachable) return undefined;
    throw error;
  }
}

/** All of this step, newest attempt first. */
async function listed({ runtime, owner, digest }: Errand): Promise<readonly Seen[]> {
  const all = await runtime.list(owner.uid);
  return all.filter((seen) => seen.once && seen.digest === digest).sort((a, b) => b.slot - a.slot);
}

/** What shall become of it depends on who no longer wants the answer. */
async function afterCancel(errand: Errand): Promise<Error> {
  // Only a cancel of the step, or the end of its time, is the end of it; of everything else the next call, or the sweep, takes care.
  if (!Context.current().cancellationDetails?.cancelRequested && Date.now() < errand.until) {
    const message = 'the agent is being stopped; what it started goes on';
    return ApplicationFailure.create({ message, type: 'Lost', category: 'BENIGN' });
  }
  await end(errand);
  return new CancelledFailure('it was stopped because it is no longer wanted');
}

/** Stops and removes it. What cannot be reached now is left to the sweep: the run shall not wait for that. */
async function end(errand: Errand): Promise<void> {
  const { runtime, owner, reporting, request } = errand;
  reporting.report({ doing: 'stopping', done: 0, total: 1 });
  try {
    for (const { id } of await listed(errand)) await runtime.remove(owner.uid, id, request.template.stop);
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
  }
}

function runtimeOf({ runtimes, node }: Warden, { runtime: name }: Template): Runtime {
  const runtime = runtimes.get(name);
  if (runtime?.converge) {
    throw ApplicationFailure.nonRetryable(`Runtime ${name} keeps what it starts, and cannot run a step to its end.`, 'RuntimeUnavailable');
  }
  if (runtime) return runtime;
  throw ApplicationFailure.retryable(hint(name, node, [...runtimes.keys()].join(', ') || 'none'), 'RuntimeUnavailable');
}

function exitFailure({ code, signal, outOfMemory }: InstanceExit, output: string, complaint: string): ApplicationFailure {
  const how = outOfMemory ? 'out of memory' : signal ? `ended by ${signal}` : `exit code ${code}`;
  const details = { exitCode: code, ...(signal ? { signal } : {}), ...(outOfMemory ? { oom: true } : {}), output };
  const last = (complaint.trimEnd() || output.trimEnd()).slice(-MAX_SAID);
  return ApplicationFailure.create({ message: last ? `${how}: ${last}` : how, type: 'ExitCode', details: [details] });
}

const MAX_SAID = 800;

const gone = (): ApplicationFailure =>
  ApplicationFailure.retryable('Somebody removed it while it ran; nobody knows how far it came.', 'InstanceGone');

/** Letters and digits alone, so that the short form of it that names have is as good as it can be. */
const digestOfPath = (path: string): string => BigInt(`0x${createHash('sha256').update(path).digest('hex')}`).toString(36);
