import type { PendingWork } from '../../client/api.ts';

/** The queue of one node, whose name says enough. */
const NODE = /-node-(.+)$/;

/** `start slots 0-19 on node a: 12 of 20 (starting web-7), 3rd try after: the image is missing`. */
export function pendingText(work: PendingWork): string {
  const { doing, done, total, attempt, failure, state, queue } = work;
  const counted = total === undefined || total === 0 ? '' : `: ${done} of ${total}`;
  const tries = attempt > 1 ? `, ${ordinal(attempt)} try${failure ? ` after: ${failure}` : ''}` : '';
  const on = queue && !NODE.test(queue) ? ` on ${queue}` : '';
  const waits = state === 'waiting' && attempt === 1 ? `, waits for somebody${on} to take it` : '';
  return `${nameOf(work)}${counted}${doing ? ` (${doing.replace(/\.$/, '')})` : ''}${state === 'cancelling' ? ', being cancelled' : ''}${waits}${tries}`;
}

/** What is in the air, in one line; undefined when nothing is. */
export function inTheAir(pending: readonly PendingWork[]): string | undefined {
  return pending.length === 0 ? undefined : pending.map(pendingText).join('; ');
}

function nameOf({ summary, activity, queue }: PendingWork): string {
  if (summary) return summary;
  const node = NODE.exec(queue ?? '')?.[1];
  return node ? `${activity} on node ${node}` : activity;
}

function ordinal(count: number): string {
  const tens = count % 100;
  const suffix = tens >= 11 && tens <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th');
  return `${count}${suffix}`;
}
