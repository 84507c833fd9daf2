import type { View } from '../core/plan.ts';
import type { Failing, Observation } from '../core/step.ts';
import { type Restarts, restartsOf, type StepWord, stepWordOf } from './control.ts';
import { isEnd } from './node.ts';
import type { StepStatus } from './schema.ts';

/** How the lanes of steps begin. */
export const STEPS = 'step/';

/** The lane of a step's attempts. */
export const laneOf = (path: string): string => `${STEPS}${path}`;

/** One flight of one attempt; `again` counts those that nobody can be blamed for. */
export const keyOf = (path: string, attempt: number, again: number): string => `${laneOf(path)}/a${attempt}${again > 0 ? `.${again}` : ''}`;

interface Numbers {
  readonly attempt: number;
  readonly again: number;
}

function numbersOf(key: string): Numbers {
  const [, attempt = '0', again = '0'] = /\/a(\d+)(?:\.(\d+))?$/.exec(key) ?? [];
  return { attempt: Number(attempt), again: Number(again) };
}

/** What the view says of steps, by path; what was before a retry is left out. */
export class Facts {
  readonly now: number;
  readonly restarts: Restarts;
  private readonly lanesInAir: ReadonlySet<string>;
  private readonly keysInAir: ReadonlySet<string>;
  private readonly entries: Readonly<Record<string, StepStatus>>;

  constructor(
    private readonly view: Pick<View, 'now' | 'observed' | 'failing' | 'inAir' | 'status'>,
    now = view.now,
  ) {
    this.now = now;
    this.restarts = restartsOf(view);
    this.keysInAir = new Set(view.inAir);
    this.lanesInAir = new Set([...this.keysInAir].map((key) => key.replace(/\/a[\d.]+$/, '')));
    this.entries = (view.status?.steps ?? {}) as Readonly<Record<string, StepStatus>>;
  }

  /** Attempts up to this number do not count. */
  baseOf(path: string): number {
    return this.restarts.attempts[path] ?? 0;
  }

  /** The attempt that makes the resource which an attempt waits for: itself, or an earlier one after a retry by hand. */
  makerOf(path: string, attempt: number): number {
    return attempt > this.baseOf(path) + 1 ? attempt : (this.restarts.makers?.[path] ?? 1);
  }

  /** How often it was done and undone before, or done for an end of the run that was taken back. What undoes a step goes with it. */
  roundOf(path: string): number {
    return this.restarts.rounds?.[path.replace(/^undo\./, '')] ?? 0;
  }

  /** What it brought was taken back: nothing that was known of it is true any more. */
  wasUndone(path: string): boolean {
    return !path.startsWith('exit.') && this.roundOf(path) > 0;
  }

  /** What attempts up to this number have run is no answer any more. */
  heardOf(path: string): number {
    return this.restarts.unheard?.[path] ?? this.baseOf(path);
  }

  wordOf(path: string): StepWord | undefined {
    return stepWordOf(this.view, path);
  }

  /** What was last shown of it, if that was of what runs now. */
  entryOf(path: string): StepStatus | undefined {
    const entry = this.entries[path];
    return entry && attemptsOf(entry) > this.baseOf(path) ? entry : undefined;
  }

  /** The result, once there is one. */
  landed(path: string): (Observation & Numbers) | undefined {
    const found = this.view.observed[laneOf(path)];
    const numbers = found && numbersOf(found.key);
    return numbers && numbers.attempt > this.baseOf(path) ? { ...found, ...numbers } : undefined;
  }

  /** The last failure, until a later flight lands. */
  failed(path: string): (Failing & Numbers) | undefined {
    const found = this.view.failing[laneOf(path)];
    const numbers = found && numbersOf(found.key);
    return numbers && numbers.attempt > this.baseOf(path) ? { ...found, ...numbers } : undefined;
  }

  /** All that has landed or failed, also what the status does not show. */
  get paths(): readonly string[] {
    const lanes = [...Object.keys(this.view.observed), ...Object.keys(this.view.failing)].filter((lane) => lane.startsWith(STEPS));
    return lanes.map((lane) => lane.slice(STEPS.length)).filter((path) => this.lastOf(path) > 0);
  }

  /** The last attempt that has landed or failed. */
  lastOf(path: string): number {
    return Math.max(this.landed(path)?.attempt ?? 0, this.failed(path)?.attempt ?? 0);
  }

  isInAir(key: string): boolean {
    return this.keysInAir.has(key);
  }

  /** Also of what nobody wants any more. */
  isFlying(path: string): boolean {
    return this.lanesInAir.has(laneOf(path));
  }

  /** Whether anything of the steps themselves is in the air, wanted or not. */
  get isAirborne(): boolean {
    return [...this.lanesInAir].some((lane) => lane.startsWith('step/') && !/^step\/(exit|undo)\./.test(lane));
  }

  /** What a lane beside the steps last answered under this key. */
  answer(lane: string, key: string): Observation | undefined {
    const found = this.view.observed[lane];
    return found?.key === key ? found : undefined;
  }

  /** The failure of a lane beside the steps under this key. */
  trouble(lane: string, key: string): Failing | undefined {
    const found = this.view.failing[lane];
    return found?.key === key ? found : undefined;
  }
}

/** Left out of an entry means one, if it has started. */
export function attemptsOf({ attempts, phase, startedAt }: StepStatus): number {
  if (attempts !== undefined) return attempts;
  return startedAt !== undefined ||
    phase === 'Running' ||
    phase === 'Suspended' ||
    (isEnd(phase) && phase !== 'Omitted' && phase !== 'Skipped')
    ? 1
    : 0;
}

export const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Date.parse(text));
