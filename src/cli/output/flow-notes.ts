import type { Resource } from '../../../definitions/core/resource.ts';
import { FOR_TIME } from '../../../definitions/workflow-run/reasons.ts';
import type { StepStatus } from '../../../definitions/workflow-run/schema.ts';
import { escapeLine } from '../escape.ts';
import { allSteps, type Flow, type FlowStep, turnsOf } from '../flows/flow.ts';
import { countText, signOf } from './flow-marks.ts';
import { wrap } from './wrap.ts';

const MAX_NOTES = 12;

/** A sentence for every step that a person should know of: what failed and why, what waits for whom, and what to say to it. */
export function stepNotes(resource: Resource, { steps, exit, undone }: Flow): string {
  if (resource.kind !== 'WorkflowRun') return '';
  const notes = allSteps([...steps, ...undone, ...exit]).flatMap((step) => [...ownNotes(resource, step), ...turnNotes(resource, step)]);
  const more = notes.length - MAX_NOTES;
  return [...notes.slice(0, MAX_NOTES), ...(more > 0 ? [`… and ${more} more: colony describe run/${resource.metadata.name}`] : [])]
    .map(
      (note) =>
        `${note
          .split('\n')
          .map((line) => wrap(escapeLine(line), { first: 0, indent: 2 }))
          .join('\n  ')}\n`,
    )
    .join('');
}

/** Of a step of all turns together it is not said that it waits: only one turn of it can be answered. */
function ownNotes(resource: Resource, { path, state }: FlowStep): readonly string[] {
  const isOfTurns = path.includes('[*]') && state?.phase === 'Suspended';
  return state && !isOfTurns ? noteOf(resource, path, state) : [];
}

/** The first turn of a loop that waits for somebody's word, else for time to pass. */
function turnNotes(resource: Resource, { path, isLoop, steps }: FlowStep): readonly string[] {
  const isLeafOfLoop = isLoop && steps.length === 0;
  if (!isLeafOfLoop && !path.includes('[*]')) return [];
  const states = (resource.status?.steps ?? {}) as Readonly<Record<string, StepStatus>>;
  const waiting = turnsOf(`${path}${isLeafOfLoop ? '[*]' : ''}`, states).filter(([, { phase }]) => phase === 'Suspended');
  const asking = waiting.filter(([, state]) => isAsking(state));
  const [first] = [...asking, ...waiting];
  if (!first) return [];
  const more = asking.length - 1;
  const others = more > 0 ? ` (${more} more ${more === 1 ? 'waits' : 'wait'} so)` : '';
  const [turn, state] = first;
  return noteOf(resource, turn, { ...state, message: `${state.message ?? ''}${others}`.trim() });
}

function noteOf(resource: Resource, path: string, state: StepStatus): readonly string[] {
  const said = (state.message ?? state.reason ?? '').replace(/\s*\n\s*/g, ' ');
  switch (state.phase) {
    case 'Suspended':
      if (!isAsking(state)) return [`${signOf('Suspended')} ${path}: ${said}`];
      return [`${signOf('Suspended')} ${path} waits${said ? `: ${said}` : '.'}\n${howToAnswer(resource, path)}`];
    case 'Failed':
      return [`${signOf('Failed')} ${path} failed${triesText(state)}${said ? `: ${said}` : '.'}`];
    case 'Pending':
    case 'Running':
      return said ? [`${signOf(state.phase)} ${path}${triesText(state)}: ${said}`] : [];
    default:
      return [];
  }
}

function triesText({ attempts = 1, iterations }: StepStatus): string {
  if (iterations) return ` (${countText({ phase: 'Running', iterations })})`;
  return attempts > 1 ? ` (${attempts} tries)` : '';
}

/** Whether a step waits for somebody's word, not just for time to pass. */
export const isAsking = ({ phase, reason }: Pick<StepStatus, 'phase' | 'reason'>): boolean => phase === 'Suspended' && reason !== FOR_TIME;

/** What to say to a step that waits for somebody's word, as a shell takes it: some look for files that `[1]` would fit. */
export function howToAnswer({ metadata }: Pick<Resource, 'metadata'>, path: string): string {
  const where = metadata.namespace === undefined || metadata.namespace === 'default' ? '' : ` -n ${metadata.namespace}`;
  return `colony workflow approve ${metadata.name} ${path.includes('[') ? `'${path}'` : path}${where} (or --reject)`;
}
