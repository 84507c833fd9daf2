import type { Context } from '../context.ts';
import { parseAssignment } from '../input/assignment.ts';
import { parseOne } from '../input/targets.ts';
import { parseFormat } from '../output/format.ts';
import { renderValue } from '../output/objects.ts';
import { labelOf, select } from '../selection.ts';
import { UsageError } from '../usage-error.ts';

export async function run(context: Context, [target = '', verb = '', ...words]: readonly string[]): Promise<undefined> {
  const format = parseFormat(context.globals.output, ['table', 'json', 'yaml']);
  const args = Object.fromEntries(
    words.map(parseAssignment).map(({ path, value }) => {
      if (value === undefined) throw new UsageError(`${path}- is not KEY=VALUE`);
      return [path, value] as const;
    }),
  );
  const selected = await select(context, parseOne([target]));
  const answer = await selected.resources.command(selected.ref, verb, args);
  if (format.as !== 'table') return void context.io.out(await renderValue(answer, format));
  context.io.out(`${labelOf(selected)} ${verb} done (generation ${answer.generation})\n`);
  if (answer.answer !== undefined && answer.answer !== null) context.io.out(await renderValue(answer.answer, { as: 'yaml' }));
}
