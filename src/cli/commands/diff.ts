import type { DryRun } from '../../client/api.ts';
import { paint } from '../colour.ts';
import type { Context } from '../context.ts';
import { escapeLine } from '../escape.ts';
import { readManifests } from '../input/manifests.ts';
import { inNamespace } from '../input/namespace.ts';
import { parseFormat } from '../output/format.ts';
import { label } from '../output/identify.ts';
import { diffLines, hunks } from '../output/line-diff.ts';
import { renderValue, toYaml } from '../output/objects.ts';
import { report } from '../report.ts';
import { reportBroken, reportDocument } from '../report-document.ts';

interface DiffOptions {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
}

/** A resource that would change, whole in both forms. */
interface Difference {
  readonly resource: string;
  readonly operation: 'created' | 'changed';
  readonly before?: unknown;
  readonly after: unknown;
}

const SAME = 0;
const DIFFERENT = 1;
const FAILED = 2;

export async function run(context: Context, _args: readonly string[], options: DiffOptions): Promise<number> {
  const { io, globals } = context;
  const format = parseFormat(globals.output, ['table', 'json', 'yaml']);
  const { documents, broken } = await readManifests({
    files: options.filename ?? [],
    recursive: options.recursive === true,
    stdin: io.stdin,
  });
  for (const one of broken) await reportBroken(context, one);
  let code = broken.length > 0 ? FAILED : SAME;
  const colony = await context.colony().catch((error: unknown) => void report(io, error, { verbose: globals.verbose === true }));
  if (!colony) return FAILED;
  const differences: Difference[] = [];
  for (const document of documents) {
    try {
      const run = await colony.dryRun(await inNamespace(context, colony, document.manifest));
      const text = await rendered(context, run);
      if (text === '') continue;
      if (format.as === 'table') io.out(text);
      differences.push(differenceOf(run));
      code = Math.max(code, DIFFERENT);
    } catch (error) {
      await reportDocument(context, document, error);
      code = FAILED;
    }
  }
  if (format.as !== 'table') io.out(await renderValue({ diff: differences }, format));
  return code;
}

const differenceOf = ({ before, after }: DryRun): Difference => ({
  resource: label(after),
  operation: before ? 'changed' : 'created',
  ...(before ? { before: comparable(before) } : {}),
  after: comparable(after),
});

async function rendered({ io }: Context, { before, after }: DryRun): Promise<string> {
  const [old, wanted] = await Promise.all([before ? toYaml(comparable(before)) : '', toYaml(comparable(after))]);
  if (old === wanted) return '';
  const name = escapeLine(label(after));
  const body = hunks(diffLines(linesOf(old), linesOf(wanted))).map((line) => {
    if (line === 'gap') return '  …';
    const text = `${line.sign}${line.text}`;
    return line.sign === ' ' ? text : paint(io, line.sign === '+' ? 'green' : 'red', text);
  });
  return [`--- ${name} (stored)`, `+++ ${name} (${before ? 'applied' : 'new'})`, ...body].map((line) => `${line}\n`).join('');
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.trimEnd().split('\n'));

/** What a person writes; the rest is colony's own. Keys in one order, so that only values count. */
function comparable({ metadata, spec }: { readonly metadata: DryRun['after']['metadata']; readonly spec?: unknown }): unknown {
  const { labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = metadata;
  const few = { ...(finalizers.length > 0 ? { finalizers } : {}), ...(ownerReferences.length > 0 ? { ownerReferences } : {}) };
  return ordered({ metadata: { labels, annotations, ...few }, spec: spec ?? {} });
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, ordered(item)]),
  );
}
