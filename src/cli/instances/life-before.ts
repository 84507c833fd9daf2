import type { DoorInstance } from '../../node/door/api.ts';
import { escapeLine } from '../escape.ts';
import type { Io } from '../io.ts';
import type { Selected } from '../selection.ts';
import { slotsOf } from './find.ts';
import { reportsOf } from './reports.ts';

/** Tells those who had no life before from those whose life before left no word: runtimes say nothing of either. Throws when nobody had one. */
export async function explainSilence(
  io: Pick<Io, 'err'>,
  selected: Selected,
  silent: readonly DoorInstance[],
  all: readonly DoorInstance[],
): Promise<void> {
  if (silent.length === 0) return;
  const reports = reportsOf(await selected.resources.get(selected.ref));
  const isFirst = ({ id }: DoorInstance): boolean => reports.some((report) => report.id === id && report.restarts === 0);
  const first = silent.filter(isFirst);
  const others = silent.filter((instance) => !isFirst(instance));
  if (first.length > 0) {
    const { which, isOne } = slotsOf(selected, first);
    const sentence = `${which} ${isOne ? 'was' : 'were'} never started again, so there is no life before to read`;
    if (first.length === all.length) throw new Error(sentence);
    io.err(`note: ${escapeLine(sentence)}\n`);
  }
  if (others.length > 0) {
    const { which, isOne } = slotsOf(selected, others);
    io.err(`note: ${escapeLine(`${which} left no word of ${isOne ? 'its life' : 'their lives'} before`)}\n`);
  }
}
