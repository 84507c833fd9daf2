import { escapeLine } from '../escape.ts';

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
}

const GAP = '   ';

/** Lines up cells under their titles as kubectl does; remembers widths, so that rows that come later stand in the same columns. */
export class Table {
  readonly #columns: readonly Column[];
  readonly #widths: number[];
  readonly #indent: string;
  readonly #gap: string;
  #titled: boolean;

  constructor(columns: readonly Column[], { headers = true, indent = '', gap = GAP }: TableLook = {}) {
    this.#columns = columns;
    this.#widths = columns.map(({ title }) => (headers ? title.length : 0));
    this.#indent = indent;
    this.#gap = gap;
    this.#titled = !headers;
  }

  /** The rows as text, with the titles above the first ones, and above others when asked. */
  render(rows: readonly (readonly string[])[], { titles = false } = {}): string {
    const cells = rows.map((row) => row.map((cell) => escapeLine(cell)));
    for (const row of cells) for (const [i, cell] of row.entries()) this.#widths[i] = Math.max(this.#widths[i] ?? 0, cell.length);
    const lines = cells.map((row) => this.#line(row, true));
    if (titles || !this.#titled)
      lines.unshift(
        this.#line(
          this.#columns.map(({ title }) => title),
          false,
        ),
      );
    this.#titled = true;
    return lines.map((line) => `${line}\n`).join('');
  }

  #line(cells: readonly string[], painted: boolean): string {
    const padded = cells.map((cell, i) => {
      const text = i === cells.length - 1 ? cell : cell.padEnd(this.#widths[i] ?? 0);
      const paint = painted ? this.#columns[i]?.paint : undefined;
      return paint ? paint(text) : text;
    });
    return `${this.#indent}${padded.join(this.#gap)}`.trimEnd();
  }
}

/** A whole table at once. */
export function renderTable(titles: readonly string[], rows: readonly (readonly string[])[], options: TableLook = {}): string {
  return new Table(
    titles.map((title) => ({ title })),
    options,
  ).render(rows);
}
