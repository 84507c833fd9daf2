import type { StepPhase, StepStatus } from '../../../definitions/workflow-run/schema.ts';
import { type Colour, paint } from '../colour.ts';
import type { FlowStep } from '../flows/flow.ts';
import type { Io } from '../io.ts';
import { humanSpan } from './age.ts';

interface Mark {
  readonly sign: string;
  readonly colour?: Colour;
}

const MARKS: Readonly<Record<StepPhase, Mark>> = {
  Pending: { sign: '○', colour: 'dim' },
  Running: { sign: '●', colour: 'yellow' },
  Suspended: { sign: '‖', colour: 'yellow' },
  Succeeded: { sign: '✓', colour: 'green' },
  Failed: { sign: '✗', colour: 'red' },
  Skipped: { sign: '–', colour: 'dim' },
  Omitted: { sign: '·', colour: 'dim' },
  Cancelled: { sign: '⊘', colour: 'red' },
};

/** One character that says how a step is; each means one phase, also without colours. */
export const signOf = (phase: StepPhase): string => MARKS[phase]?.sign ?? '?';

export function paintPhase(io: Pick<Io, 'colour'>, phase: StepPhase, text: string): string {
  const colour = MARKS[phase]?.colour;
  return colour ? paint(io, colour, text) : text;
}

/** `✓ succeeded   ● running`, of the phases there are. */
export function legend(io: Pick<Io, 'colour'>, phases: Iterable<StepPhase>): string {
  const there = new Set(phases);
  return (Object.keys(MARKS) as StepPhase[])
    .filter((phase) => there.has(phase))
    .map((phase) => `${paintPhase(io, phase, signOf(phase))} ${phase.toLowerCase()}`)
    .join('   ');
}

/** `0.4s`, `12s`, `3m5s`: how long a step took, or has been at it; nothing for one that has not begun. */
export function tookText({ startedAt, finishedAt }: Pick<StepStatus, 'startedAt' | 'finishedAt'>, now: number): string {
  const began = Date.parse(startedAt ?? '');
  if (Number.isNaN(began)) return '';
  const ended = Date.parse(finishedAt ?? '');
  return spanText((Number.isNaN(ended) ? now : ended) - began);
}

/** As `humanSpan`, with a tenth below ten seconds. */
export const spanText = (ms: number): string => (ms < 10_000 ? `${(Math.max(0, ms) / 1_000).toFixed(1)}s` : humanSpan(ms));

/** `7/10`, of a loop: how many of its iterations have ended, and how many of those failed. */
export function countText({ iterations }: StepStatus): string {
  if (!iterations) return '';
  const { total, succeeded, failed = 0, skipped = 0 } = iterations;
  return `${succeeded + failed + skipped}/${total}${failed > 0 ? `, ${failed} failed` : ''}`;
}

/** What is worth showing behind a step's name: how often, how long. */
export function detailOf(step: FlowStep, now: number): string {
  const { state } = step;
  if (!state) return step.isLoop ? '×n' : '';
  const ended = step.steps.filter((one) => one.state && isEnd(one.state.phase)).length;
  const count = state.iterations ? countText(state) : step.steps.length > 0 ? `${ended}/${step.steps.length}` : '';
  const tries = (state.attempts ?? 1) > 1 ? `${state.attempts} tries` : '';
  return [count, tries, tookText(state, now)].filter(Boolean).join(' ');
}

const ENDS: readonly StepPhase[] = ['Succeeded', 'Failed', 'Skipped', 'Omitted', 'Cancelled'];

/** Whether nothing more will happen to a step by itself. */
export const isEnd = (phase: StepPhase): boolean => ENDS.includes(phase);
