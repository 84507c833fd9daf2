import type { JsonObject, Resource } from '../../../definitions/core/resource.ts';
import { parsePath, setAt } from '../../client/path.ts';
import type { Context } from '../context.ts';
import { type Assignment, parseAssignment } from '../input/assignment.ts';
import { parseOne } from '../input/targets.ts';
import { parseFormat } from '../output/format.ts';
import { printDone } from '../output/print-done.ts';
import { isRefusal } from '../report.ts';
import { type Selected, select } from '../selection.ts';
import { UsageError } from '../usage-error.ts';

const TRIES = 10;
const SETTABLE = /^\.?(spec|metadata\.(labels|annotations|finalizers|ownerReferences))\b/;

export async function run(context: Context, [target = '', ...words]: readonly string[]): Promise<undefined> {
  const format = parseFormat(context.globals.output, ['table', 'json', 'yaml', 'name']);
  const wanted = parseOne([target]);
  const assignments = words.map(parseAssignment);
  for (const { path } of assignments) {
    if (!SETTABLE.test(path))
      throw new UsageError(`${path} cannot be set; say spec.… or metadata.labels.…, .annotations.…, .finalizers or .ownerReferences`);
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
      return await resources.apply({ metadata, spec: changed.spec }, { only: 'update' });
    } catch (error) {
      if (!isRefusal(error, 'Conflict') || left === 1) throw error;
    }
  }
}

const assign = (object: JsonObject, { path, value }: Assignment): JsonObject => setAt(object, parsePath(path), value);
