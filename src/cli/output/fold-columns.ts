/** What decides where the columns of a table stand. */
export interface Measures {
  readonly widths: readonly number[];
  /** The longest word of the last column, which may be broken between its words. */
  readonly longestWord: number;
  readonly indent: number;
  readonly gap: number;
  /** How wide a line may be. */
  readonly width: number;
}

/** Below what it belongs to. */
export const FOLD_INDENT = 4;
/** A sentence in a narrower column is hard to read. */
const LEAST_ROOM = 24;

/** The width of all columns beside each other. */
export const widthOf = ({ widths, indent, gap }: Pick<Measures, 'widths' | 'indent' | 'gap'>): number =>
  indent + widths.reduce((sum, width) => sum + width, 0) + gap * Math.max(0, widths.length - 1);

/** Which columns stand on which line of a row, in their order; one line when all fit. */
export function foldColumns({ widths, longestWord, indent, gap, width }: Measures): readonly (readonly number[])[] {
  const lines: number[][] = [[]];
  let end = indent;
  for (const [column, wide] of widths.entries()) {
    const line = lines.at(-1) as number[];
    const start = line.length === 0 ? end : end + gap;
    const room = width - start;
    const canBreak = column === widths.length - 1 && room >= Math.max(LEAST_ROOM, longestWord);
    if (line.length === 0 || wide <= room || canBreak) {
      line.push(column);
      end = start + wide;
    } else {
      lines.push([column]);
      end = indent + FOLD_INDENT + wide;
    }
  }
  return lines;
}
