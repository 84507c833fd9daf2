import type { Resource } from '../../../definitions/core/resource.ts';
import type { RunPhase, WorkflowRunStatus } from '../../../definitions/workflow-run/schema.ts';
import type { Context } from '../context.ts';
import { escapeLine } from '../escape.ts';
import { humanSpan } from '../output/age.ts';
import { stepTable } from '../output/flow-table.ts';
import type { Format } from '../output/format.ts';
import { lineWidth } from '../output/line-width.ts';
import { renderValue } from '../output/objects.ts';
import { EXIT_ERROR, EXIT_INTERRUPTED } from '../report.ts';
import { labelOf, type Selected } from '../selection.ts';
import { followRun } from './follow-run.ts';

export interface ShowRun {
  readonly timeoutMs?: number | undefined;
  /** See FollowingRun; left out: it was begun just now. */
  readonly known?: Resource;
  /** See FollowingRun. */
  readonly since?: string | undefined;
  /** How it shall end; Succeeded, if left out. */
  readonly wished?: RunPhase | undefined;
}

/** Follows a run to its end and shows how it came out. Exit code 0: as wished; 1: otherwise, or the time is up. */
export async function showRun(
  { io }: Context,
  selected: Selected,
  format: Format,
  { timeoutMs, known, since, wished = 'Succeeded' }: ShowRun,
): Promise<number> {
  if (!known) io.err(`${labelOf(selected)} started; Ctrl-C leaves it alone\n`);
  const { resource, end } = await followRun(io, selected, { timeoutMs, known, since, signal: io.interrupted() });
  const { phase, duration, message, progress, outputs } = (resource.status ?? {}) as Partial<WorkflowRunStatus> & {
    readonly phase?: string;
  };
  if (format.as !== 'table') io.out(format.as === 'name' ? `${labelOf(selected)}\n` : await renderValue(resource, format));
  else if (end === 'ended') {
    io.out(`${stepTable(io, resource, { width: lineWidth(io) })}\n`);
    io.out(`${escapeLine([`${labelOf(selected)} ${phase}`, duration ? ` in ${duration}` : '', message ? `: ${message}` : ''].join(''))}\n`);
    if (outputs && Object.keys(outputs).length > 0) io.out(await renderValue({ outputs }, { as: 'yaml' }));
  }
  if (end === 'ended') return phase === wished ? 0 : EXIT_ERROR;
  const again = `See: colony workflow follow ${selected.ref.name}`;
  if (end === 'interrupted') io.err(`${labelOf(selected)} goes on by itself (${progress ?? phase}). ${again}\n`);
  else io.err(`error: ${labelOf(selected)} has not ended after ${humanSpan(timeoutMs ?? 0)} (${progress ?? phase}). ${again}\n`);
  return end === 'interrupted' ? EXIT_INTERRUPTED : EXIT_ERROR;
}
