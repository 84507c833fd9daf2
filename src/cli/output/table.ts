import { escapeLine } from '../escape.ts';
import { FOLD_INDENT, foldColumns, widthOf } from './fold-columns.ts';
import { WIDTH, wrap } from './wrap.ts';

export interface Column {
  readonly title: string;
  /** Colours a cell that is already padded. */
  readonly paint?: (cell: string) => string;
}

export interface TableLook {
  readonly headers?: boolean;
  readonly indent?: string;
  /** Between columns. */
  readonly gap?: string;
  /** How wide a line may be; left out: as wide as it gets, one line for each row. A function is asked only about more than 80. */
  readonly width?: number | (() => number);
}

const GAP = '   ';
/** Where the usual one is too much. */
const NARROW_GAP = '  ';

/**
 * Lines up cells under their titles as kubectl does; remembers widths, so that rows that come later stand in the same columns.
 * Where a row is wider than it may be, the last cell is broken between words, and columns that do not fit go on below.
 */
export class Table {
  readonly #columns: readonly Column[];
  readonly #widths: number[];
  readonly #indent: string;
  readonly #gap: string;
  readonly #width: number | (() => number);
  #longestWord = 0;
  #titled: boolean;

  constructor(columns: readonly Column[], { headers = true, indent = '', gap = GAP, width = Number.POSITIVE_INFINITY }: TableLook = {}) {
    this.#columns = columns;
    this.#widths = columns.map(({ title }) => (headers ? title.length : 0));
    this.#indent = indent;
    this.#gap = gap;
    this.#width = width;
    this.#titled = !headers;
  }

  /** The rows as text, with the titles above the first ones, and above others when asked. */
  render(rows: readonly (readonly string[])[], { titles = false } = {}): string {
    const cells = rows.map((row) => row.map((cell) => escapeLine(cell)));
    for (const row of cells) for (const [i, cell] of row.entries()) this.#widths[i] = Math.max(this.#widths[i] ?? 0, cell.length);
    for (const row of cells)
      for (const word of row[this.#columns.length - 1]?.split(' ') ?? []) this.#longestWord = Math.max(this.#longestWord, word.length);
    const form = this.#form();
    const lines = cells.flatMap((row) => this.#lines(row, form, true));
    if (titles || !this.#titled)
      lines.unshift(
        ...this.#lines(
          this.#columns.map(({ title }) => title),
          form,
          false,
        ),
      );
    this.#titled = true;
    return lines.map((line) => `${line}\n`).join('');
  }

  #form(): Form {
    const measures = { widths: this.#widths, indent: this.#indent.length };
    const natural = widthOf({ ...measures, gap: this.#gap.length });
    const width = typeof this.#width === 'number' ? this.#width : natural > WIDTH ? this.#width() : natural;
    const gap = natural > width && this.#gap.length > NARROW_GAP.length ? NARROW_GAP : this.#gap;
    return { gap, width, lines: foldColumns({ ...measures, longestWord: this.#longestWord, gap: gap.length, width }) };
  }

  /** A row; what goes on below and says nothing has no line. */
  #lines(cells: readonly string[], { gap, width, lines }: Form, painted: boolean): readonly string[] {
    return lines.flatMap((columns, index) => {
      const indent = index === 0 ? this.#indent : `${this.#indent}${' '.repeat(FOLD_INDENT)}`;
      let text = indent;
      let at = indent.length;
      for (const [place, column] of columns.entries()) {
        const isEnd = place === columns.length - 1;
        const cell = cells[column] ?? '';
        const isBroken = column === this.#columns.length - 1 && at + cell.length > width;
        const whole = isEnd ? cell : cell.padEnd(this.#widths[column] ?? 0);
        const shown = isBroken ? wrap(cell, { indent: at, width }) : whole;
        const paint = painted ? this.#columns[column]?.paint : undefined;
        text += `${paint ? paint(shown) : shown}${isEnd ? '' : gap}`;
        at += (this.#widths[column] ?? 0) + gap.length;
      }
      const line = text.trimEnd();
      return line === '' && index > 0 ? [] : [line];
    });
  }
}

/** How a row is written: which columns stand on which of its lines. */
interface Form {
  readonly gap: string;
  readonly width: number;
  readonly lines: readonly (readonly number[])[];
}

/** A whole table at once. */
export function renderTable(titles: readonly string[], rows: readonly (readonly string[])[], options: TableLook = {}): string {
  return new Table(
    titles.map((title) => ({ title })),
    options,
  ).render(rows);
}
