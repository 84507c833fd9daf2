import type { JsonObject, Resource } from '../../../definitions/core/resource.ts';
import { EMPTY_SETS } from '../../client/empty-sets.ts';
import { parsePath, pathText, setAt } from '../../client/path.ts';
import type { Context } from '../context.ts';
import { type Assignment, parseAssignment } from '../input/assignment.ts';
import { parseOne } from '../input/targets.ts';
import { parseFormat } from '../output/format.ts';
import { printDone } from '../output/print-done.ts';
import { isRefusal } from '../report.ts';
import { type Selected, select } from '../selection.ts';
import { UsageError } from '../usage-error.ts';

const TRIES = 10;
const SETTABLE = /^\.?(spec|metadata\.(labels|annotations|finalizers|ownerReferences))(?=$|[.[])/;

export async function run(context: Context, [target = '', ...words]: readonly string[]): Promise<undefined> {
  const format = parseFormat(context.globals.output, ['table', 'json', 'yaml', 'name']);
  const wanted = parseOne([target]);
  const assignments = words.map(parseAssignment);
  for (const { path, value } of assignments) {
    if (!SETTABLE.test(path))
      throw new UsageError(`${path} cannot be set; say spec.… or metadata.labels.…, .annotations.…, .finalizers or .ownerReferences`);
    const meant = dottedName(path);
    if (meant) {
      const given = value === undefined ? '-' : `=${typeof value === 'string' ? value : JSON.stringify(value)}`;
      throw new UsageError(`${path} is more than one name`, `A name with dots stands in brackets: '${meant}${given}'`);
    }
  }
  const selected = await select(context, wanted);
  const { operation, generation } = await write(selected, assignments);
  await printDone(context, selected, format, operation === 'unchanged' ? 'unchanged' : `configured (generation ${generation})`);
}

/** One write for all fields: read, change, write what was read; again when somebody was faster. */
async function write({ resources, ref }: Selected, assignments: readonly Assignment[]) {
  for (let left = TRIES; ; left--) {
    const changed = assignments.reduce(assign, (await resources.get(ref)) as unknown as JsonObject) as unknown as Resource;
    const { generation: _, creationTimestamp: __, deletionTimestamp: ___, ...metadata } = changed.metadata;
    try {
      return await resources.apply({ metadata: { ...EMPTY_SETS, ...metadata }, spec: changed.spec ?? {} }, { only: 'update' });
    } catch (error) {
      if (!isRefusal(error, 'Conflict') || left === 1) throw error;
    }
  }
}

const assign = (object: JsonObject, { path, value }: Assignment): JsonObject => setAt(object, parsePath(path), value);

/** Labels and annotations hold texts, so who goes deeper has written a name with dots as if it were a path: how it should be written. */
function dottedName(path: string): string | undefined {
  const [root, set, ...names] = parsePath(path);
  if (root !== 'metadata' || (set !== 'labels' && set !== 'annotations') || names.length < 2) return undefined;
  return pathText([root, set, names.join('.')]);
}
