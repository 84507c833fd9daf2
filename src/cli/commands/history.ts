import { diff } from '../../../definitions/core/diff.ts';
import type { Revision } from '../../../definitions/core/resource.ts';
import { NotFoundError } from '../../client/errors.ts';
import type { Context } from '../context.ts';
import { parseOne } from '../input/targets.ts';
import { wholeNumber } from '../input/whole-number.ts';
import { age } from '../output/age.ts';
import { parseFormat } from '../output/format.ts';
import { lineWidth } from '../output/line-width.ts';
import { listOf, renderValue, toYaml } from '../output/objects.ts';
import { renderTable } from '../output/table.ts';
import { labelOf, select } from '../selection.ts';

interface HistoryOptions {
  readonly revision?: string;
  readonly limit?: string;
  readonly headers?: boolean;
}

const MAX_CHARS = 60;

export async function run(context: Context, args: readonly string[], options: HistoryOptions): Promise<undefined> {
  const format = parseFormat(context.globals.output, ['table', 'json', 'yaml']);
  const wanted = options.revision === undefined ? undefined : wholeNumber(options.revision, '--revision');
  const limit = options.limit === undefined ? undefined : wholeNumber(options.limit, '--limit');
  const selected = await select(context, parseOne(args));
  const revisions = [...(await selected.resources.history(selected.ref))].sort((a, b) => a.generation - b.generation);
  if (wanted !== undefined) {
    const found = revisions.find(({ generation }) => generation === wanted);
    if (!found) throw new NotFoundError(`${labelOf(selected)} has no revision ${wanted}`, `It has ${listed(revisions)}.`);
    context.io.out(format.as === 'table' ? await toYaml(found.spec) : await renderValue(found, format));
    return;
  }
  const shown = limit === undefined ? revisions : revisions.slice(-limit);
  if (format.as !== 'table') return void context.io.out(await renderValue(listOf(shown), format));
  const rows = shown.map((revision) => [
    String(revision.generation),
    age(revision.at, context.io.now()),
    revision.by,
    changesOf(revisions[revisions.indexOf(revision) - 1], revision),
  ]);
  context.io.out(
    renderTable(['REVISION', 'AGE', 'BY', 'CHANGE'], rows, { headers: options.headers !== false, width: lineWidth(context.io) }),
  );
}

function changesOf(before: Revision | undefined, after: Revision): string {
  if (!before) return after.generation === 1 ? 'created' : 'the oldest kept';
  const changes = diff(before.spec, after.spec, 'spec').map(({ path, type, old, new: now }) => {
    if (type === 'removed') return `${path} removed`;
    return type === 'added' ? `${path}: ${short(now)}` : `${path}: ${short(old)} → ${short(now)}`;
  });
  const text = changes.join(', ');
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS - 1)}…` : text;
}

const short = (value: unknown): string => JSON.stringify(value);
const listed = (revisions: readonly Revision[]): string => revisions.map(({ generation }) => generation).join(', ') || 'none';
