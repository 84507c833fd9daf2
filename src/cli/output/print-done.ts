import type { Context } from '../context.ts';
import { labelOf, type Selected } from '../selection.ts';
import type { Format } from './format.ts';
import { renderValue } from './objects.ts';

/** Says what was done to a resource, or prints it as it is now. */
export async function printDone({ io }: Context, selected: Selected, format: Format, done: string): Promise<void> {
  if (format.as === 'table') io.out(`${labelOf(selected)} ${done}\n`);
  else if (format.as === 'name') io.out(`${labelOf(selected)}\n`);
  else io.out(await renderValue(await selected.resources.get(selected.ref), format));
}
