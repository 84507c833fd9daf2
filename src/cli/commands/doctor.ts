import { paint } from '../colour.ts';
import type { Context } from '../context.ts';
import { checkNamespace, checkNode, checkSearchAttributes, checkVersion, checkWorkers, messageOf } from '../doctor/checks.ts';
import { bad, type Finding, skipped } from '../doctor/finding.ts';
import { checkNodeVersion } from '../doctor/node-version.ts';
import { checkRuntimes, needsOf } from '../doctor/runtimes.ts';
import { checkSettings } from '../doctor/settings.ts';
import { escapeLine } from '../escape.ts';
import { openHere } from '../instances/find.ts';
import { parseFormat } from '../output/format.ts';
import { listOf, renderValue } from '../output/objects.ts';
import { wrap } from '../output/wrap.ts';
import { withProgress } from '../progress.ts';
import { EXIT_ERROR } from '../report.ts';
import { openTemporal, type Temporal, whereIsTemporal } from '../temporal.ts';

const SIGNS = { ok: ['green', '✓'], bad: ['red', '✗'], skipped: ['yellow', '–'] } as const;
const WIDTH = 18;

export async function run(context: Context): Promise<number> {
  const { io, globals } = context;
  const format = parseFormat(globals.output, ['table', 'json', 'yaml']);
  const findings: Finding[] = [];
  await withProgress(
    io,
    () => 'looking at the server',
    async (aside) => {
      for await (const finding of examine(context)) {
        findings.push(finding);
        if (format.as === 'table') aside(() => io.out(line(context, finding)));
      }
    },
  );
  const isSick = findings.some(({ state }) => state === 'bad');
  if (format.as === 'table') io.out(isSick ? '\nSomething needs your attention.\n' : '\nEverything colony needs is there.\n');
  else io.out(await renderValue(listOf(findings), format));
  return isSick ? EXIT_ERROR : 0;
}

async function* examine(context: Context): AsyncGenerator<Finding> {
  const { globals } = context;
  yield checkNodeVersion();
  const temporal = await openTemporal(globals).catch(() => undefined);
  if (!temporal) {
    yield unreachable(globals);
    return;
  }
  yield checkVersion(temporal);
  const namespace = await checkNamespace(temporal);
  yield namespace;
  if (namespace.state === 'bad') return;
  yield await guarded('workers', () => checkWorkers(temporal));
  const node = await guarded('node', () => checkNode(temporal));
  yield node;
  if (node.state === 'ok') yield* await runtimes(context, temporal);
  yield await guarded('search attributes', () => checkSearchAttributes(temporal));
  yield* await settings(temporal);
}

async function runtimes(context: Context, temporal: Temporal): Promise<readonly Finding[]> {
  return checkRuntimes(openHere(context).door, needsOf(temporal)).catch((error: unknown) => [
    skipped('runtimes', `could not be found out: ${messageOf(error)}`),
  ]);
}

async function settings(temporal: Temporal): Promise<readonly Finding[]> {
  return checkSettings(temporal).catch((error: unknown) => [skipped('server settings', `could not be tried: ${messageOf(error)}`)]);
}

/** A check that fails itself is told as such, and the others go on. */
async function guarded(check: string, work: () => Promise<Finding>): Promise<Finding> {
  return work().catch((error: unknown) => skipped(check, `could not be found out: ${messageOf(error)}`));
}

function unreachable(globals: Context['globals']): Finding {
  const { location } = whereIsTemporal(globals);
  const from = location.from === 'default' ? 'the default; nothing else is said' : `from ${location.from}`;
  return bad(
    'temporal',
    `nobody answers at ${location.address} (${from})`,
    'Start it: colony up (or npm start). If it runs elsewhere: set TEMPORAL_ADDRESS.',
  );
}

function line({ io }: Context, { check, state, found, todo }: Finding): string {
  const [colour, sign] = SIGNS[state];
  const indent = WIDTH + 3;
  const lines = [found, ...(todo ? [todo] : [])].map((text) => wrap(escapeLine(text), { indent }));
  return `${paint(io, colour, sign)} ${check.padEnd(WIDTH)} ${lines.join(`\n${' '.repeat(indent)}`)}\n`;
}
