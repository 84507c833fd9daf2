import type { KnownKind, WatchEvent } from '../../client/api.ts';
import type { Context } from '../context.ts';
import { escapeQuoted } from '../escape.ts';
import type { Io } from '../io.ts';
import { type FoundKind, listOptions } from '../selection.ts';
import { asOfNow } from './as-of-now.ts';
import { columnsOf } from './columns.ts';
import type { Format } from './format.ts';
import { lineWidth } from './line-width.ts';
import { renderValue } from './objects.ts';
import { Table } from './table.ts';

export interface WatchPrinting {
  readonly format: Format;
  readonly name?: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly showLabels?: boolean;
  readonly headers?: boolean;
  /** Say ADDED, MODIFIED or DELETED with each. */
  readonly withEvents: boolean;
}

/** Rows that come in one burst are lined up together. */
const BURST_MS = 40;

/** What happened, and to which of the kinds that are watched. */
interface Seen extends WatchEvent {
  readonly from: number;
}

type Print = (seen: readonly Seen[]) => Promise<void>;

/**
 * Prints what is there and then every change, until Ctrl-C; that is the only way to end it, so it is no failure. Several kinds are
 * printed each under its own titles, which stand again whenever another one speaks.
 */
export async function printWatch(context: Context, found: readonly FoundKind[], options: WatchPrinting): Promise<number> {
  const interrupted = context.io.interrupted();
  const ending = new AbortController();
  const { format } = options;
  const print = format.as === 'table' || format.as === 'wide' ? tablePrinter(context, found, options) : valuePrinter(context, options);
  const watching = found.map(({ resources }) =>
    resources.watch({
      ...listOptions(context, options),
      ...(options.name === undefined ? {} : { name: options.name, namespace: context.namespace }),
      signal: AbortSignal.any([interrupted, ending.signal]),
    }),
  );
  try {
    await inBursts(watching, print);
  } catch (error) {
    if (!interrupted.aborted) throw error;
  } finally {
    ending.abort(); // one that failed ends the others
  }
  return 0;
}

async function inBursts(watching: readonly AsyncIterable<WatchEvent>[], print: Print): Promise<void> {
  let burst: Seen[] = [];
  let printing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    const seen = burst;
    burst = [];
    timer = undefined;
    printing = printing.then(() => print(seen));
    printing.catch(() => {}); // awaited below
  };
  const take = async (events: AsyncIterable<WatchEvent>, from: number): Promise<void> => {
    for await (const event of events) {
      burst.push({ ...event, from });
      timer ??= setTimeout(flush, BURST_MS);
    }
  };
  try {
    await Promise.all(watching.map(take));
  } finally {
    clearTimeout(timer);
    if (burst.length > 0) flush();
    await printing;
  }
}

function tablePrinter({ io }: Context, found: readonly FoundKind[], options: WatchPrinting): Print {
  const tables = found.map(({ known }) => tableOf(io, known, options, found.length > 1));
  let last: KindTable | undefined;
  return async (seen) => {
    // Kind by kind, lest each row of a burst have titles of its own.
    for (const [index, one] of tables.entries()) {
      const rows = await Promise.all(seen.filter(({ from }) => from === index).map(one.rowOf));
      if (rows.length === 0) continue;
      const isAnother = last !== undefined && last !== one && options.headers !== false;
      io.out(`${isAnother ? '\n' : ''}${one.table.render(rows, { titles: isAnother })}`);
      last = one;
    }
  };
}

interface KindTable {
  readonly table: Table;
  readonly rowOf: (event: WatchEvent) => Promise<readonly string[]>;
}

function tableOf(io: Io, known: KnownKind, options: WatchPrinting, withKind: boolean): KindTable {
  const look = {
    wide: options.format.as === 'wide',
    withNamespace: options.allNamespaces === true,
    withLabels: options.showLabels === true,
    withKind,
  };
  const columns = columnsOf(known, look, io);
  const table = new Table([...(options.withEvents ? [{ title: 'EVENT' }] : []), ...columns], {
    headers: options.headers !== false,
    width: lineWidth(io),
  });
  return {
    table,
    rowOf: async ({ type, resource }) => {
      const shown = await asOfNow(resource, io.now());
      return [...(options.withEvents ? [type.padEnd('MODIFIED'.length)] : []), ...columns.map(({ cell }) => cell(shown, io.now()))];
    },
  };
}

function valuePrinter({ io }: Context, { format, withEvents }: WatchPrinting): Print {
  return async (seen) => {
    for (const { type, resource } of seen) {
      if (!withEvents || format.as === 'name' || format.as === 'jsonpath') io.out(await renderValue(resource, format));
      else if (format.as === 'json') io.out(`${escapeQuoted(JSON.stringify({ type, object: resource }))}\n`);
      else io.out(`---\n${await renderValue({ type, object: resource }, format)}`);
    }
  };
}
