import type { Resource } from '../../../definitions/core/resource.ts';
import type { RunPhase, StepStatus } from '../../../definitions/workflow-run/schema.ts';
import { pause } from '../../client/pause.ts';
import { escapeLine } from '../escape.ts';
import type { Io } from '../io.ts';
import { countText, isEnd, paintPhase, signOf, spanText, tookText } from '../output/flow-marks.ts';
import { howToAnswer, isAsking } from '../output/flow-notes.ts';
import type { Selected } from '../selection.ts';

const LOOK_MS = 250;
const ENDS: readonly RunPhase[] = ['Succeeded', 'Failed', 'Cancelled', 'Terminated'];

export interface FollowedRun {
  readonly resource: Resource;
  readonly end: 'ended' | 'timeout' | 'interrupted';
}

/** Whether nothing more will happen to a run by itself. */
export const hasEnded = ({ status }: Resource): boolean =>
  ENDS.includes(status?.phase as RunPhase) && conditionOf(status, 'Completed') === 'True';

const conditionOf = (status: Resource['status'], type: string) => status?.conditions?.find((one) => one.type === type)?.status;

export interface FollowingRun {
  /** undefined: until it has ended. */
  readonly timeoutMs?: number | undefined;
  readonly signal: AbortSignal;
  /** The run as it was: what had ended then is not told. */
  readonly known?: Resource | undefined;
  /** A resourceVersion: an end that was seen at it is not the one to wait for. */
  readonly since?: string | undefined;
}

/** Looks at a run until it has ended, and says on stderr what its steps do: a line when one begins, waits or ends. */
export async function followRun(
  io: Io,
  { resources, ref }: Selected,
  { timeoutMs, signal, known, since = '0' }: FollowingRun,
): Promise<FollowedRun> {
  const began = performance.now();
  const teller = new Teller(io);
  if (known) teller.know(known);
  for (;;) {
    const resource = await resources.get(ref);
    teller.tell(resource);
    if (hasEnded(resource) && Number(resource.metadata.resourceVersion) > Number(since)) return { resource, end: 'ended' };
    if (signal.aborted) return { resource, end: 'interrupted' };
    const left = timeoutMs === undefined ? LOOK_MS : timeoutMs - (performance.now() - began);
    if (left <= 0) return { resource, end: 'timeout' };
    await pause(Math.min(LOOK_MS, left), { signal });
  }
}

/** Knows what was said already. */
class Teller {
  readonly #said = new Map<string, string>();
  #phase = '';

  constructor(private readonly io: Io) {}

  /** Takes what has ended for told. */
  know(resource: Resource): void {
    for (const [path, state] of statesOf(resource)) if (isEnd(state.phase)) this.#isNews(path, state);
  }

  tell(resource: Resource): void {
    const startedAt = Date.parse((resource.status?.startedAt as string | undefined) ?? resource.metadata.creationTimestamp);
    const news = statesOf(resource)
      .filter(([path, state]) => this.#isNews(path, state))
      .map(([path, state]) => ({ path, state, at: timeOf(state) }))
      .sort(byTime);
    for (const { path, state, at } of news) this.#line(at === undefined ? '' : spanText(at - startedAt), path, state, resource);
    const phase = resource.status?.phase ?? '';
    if (phase === 'Paused' && phase !== this.#phase)
      this.io.err(`${' '.repeat(9)}paused; to go on: colony workflow resume ${resource.metadata.name}\n`);
    this.#phase = phase;
  }

  #isNews(path: string, state: StepStatus): boolean {
    const text = JSON.stringify([state.phase, state.attempts, state.message, state.reason, state.iterations?.failed]);
    if (this.#said.get(path) === text || (!this.#said.has(path) && state.phase === 'Pending' && !state.message)) return false;
    this.#said.set(path, text);
    return state.phase !== 'Pending' || state.message !== undefined;
  }

  #line(since: string, path: string, state: StepStatus, resource: Resource): void {
    const { phase, attempts = 1, message } = state;
    const about = [countText(state), attempts > 1 ? `try ${attempts}` : '', isEnd(phase) ? tookText(state, this.io.now()) : ''].filter(
      Boolean,
    );
    const text = escapeLine(`${path}${about.length > 0 ? ` (${about.join(', ')})` : ''}${message ? `: ${message}` : ''}`);
    this.io.err(`${since.padStart(7)}  ${paintPhase(this.io, phase, `${signOf(phase)} ${text}`)}\n`);
    if (isAsking(state)) this.io.err(`${' '.repeat(11)}${escapeLine(howToAnswer(resource, path))}\n`);
  }
}

interface News {
  readonly path: string;
  readonly state: StepStatus;
  readonly at: number | undefined;
}

/** At one instant what is inside ends before what is around it, and begins after it. */
function byTime(a: News, b: News): number {
  const late = Number.MAX_SAFE_INTEGER;
  return (a.at ?? late) - (b.at ?? late) || (isEnd(a.state.phase) && isEnd(b.state.phase) ? b.path.length - a.path.length : 0);
}

const statesOf = ({ status }: Resource): readonly (readonly [string, StepStatus])[] =>
  Object.entries((status?.steps ?? {}) as Readonly<Record<string, StepStatus>>);

/** When the last thing happened to a step. */
function timeOf({ phase, startedAt, finishedAt }: StepStatus): number | undefined {
  const at = Date.parse((isEnd(phase) ? finishedAt : startedAt) ?? '');
  return Number.isNaN(at) ? undefined : at;
}
