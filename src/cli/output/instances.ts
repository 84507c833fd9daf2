import type { InstanceExit, InstancePort } from '../../../definitions/core/instance.ts';
import type { InstanceReport } from '../../../definitions/replicas/report.ts';
import { escapeLine } from '../escape.ts';
import { age, humanSpan } from './age.ts';
import { renderTable } from './table.ts';
import { wrap } from './wrap.ts';

const TITLES = ['SLOT', 'STATE', 'READY', 'RESTARTS', 'STARTED', 'LAST EXIT', 'NODE', 'PORTS'] as const;
const INDENT = '  ';
/** Narrower than elsewhere: there is much to say in 80 columns. */
const GAP = '  ';
const NOTE = 8;
const LOG_LINES = 5;

/** The table of a resource's instances, each followed by what is wrong with it. */
export function instancesText(reports: readonly InstanceReport[], now: number): string {
  const bySlot = [...reports].sort((a, b) => a.slot - b.slot || (a.name < b.name ? -1 : 1));
  const rows = bySlot.map((report) => cells(report, now));
  const [titles, ...lines] = renderTable(TITLES, rows, { indent: INDENT, gap: GAP }).trimEnd().split('\n');
  return [titles, ...lines.flatMap((line, index) => [line, ...notes(bySlot[index] as InstanceReport, now)])]
    .map((line) => `${line}\n`)
    .join('');
}

function cells({ slot, state, ready, restarts, startedAt, lastExit, node, ports }: InstanceReport, now: number): readonly string[] {
  return [
    String(slot),
    state,
    ready ? 'yes' : 'no',
    String(restarts ?? 0),
    startedAt === undefined ? '-' : age(startedAt, now),
    lastExit ? `${exitText(lastExit)} (${age(lastExit.at, now)} ago)` : '-',
    node,
    (ports ?? []).map(portText).join(' ') || '-',
  ];
}

/** `code 1`, `SIGTERM`, `OOM`: killed because it used too much memory. */
export function exitText({ code, signal, outOfMemory }: InstanceExit): string {
  if (outOfMemory) return 'OOM';
  return signal ? signal : `code ${code}`;
}

/** `8080→80`, with what is not usual: `127.0.0.2:53→53/udp`. */
function portText({ container, host, address, protocol }: InstancePort): string {
  const where = ['', '0.0.0.0', '127.0.0.1', '::'].includes(address) ? '' : `${address}:`;
  return `${where}${host === container ? host : `${host}→${container}`}${protocol === 'udp' ? '/udp' : ''}`;
}

/** Message and next start of one that is in trouble, and the last words of the life before. */
function notes({ message, nextRestartTime, lastExit, ready }: InstanceReport, now: number): readonly string[] {
  const next = nextRestartTime === undefined ? undefined : Date.parse(nextRestartTime) - now;
  const sentences = [
    ...(message ? message.trimEnd().split('\n') : []),
    ...(next === undefined || Number.isNaN(next)
      ? []
      : [next > 0 ? `It is started again in ${humanSpan(next)}.` : 'It is started again now.']),
  ];
  const log = !ready ? (lastExit?.log?.trimEnd().split('\n').slice(-LOG_LINES) ?? []) : [];
  const pad = ' '.repeat(NOTE);
  return [
    ...sentences.map((sentence) => `${pad}${wrap(escapeLine(sentence), { indent: NOTE })}`),
    ...log.map((line) => `${pad}| ${escapeLine(line)}`),
  ];
}
