import type { WatchEvent } from '../../client/api.ts';
import type { Context } from '../context.ts';
import { escapeQuoted } from '../escape.ts';
import { type FoundKind, listOptions } from '../selection.ts';
import { columnsOf } from './columns.ts';
import type { Format } from './format.ts';
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

type Print = (events: readonly WatchEvent[]) => Promise<void>;

/** Prints what is there and then every change, until Ctrl-C; that is the only way to end it, so it is no failure. */
export async function printWatch(context: Context, found: FoundKind, options: WatchPrinting): Promise<number> {
  const signal = context.io.interrupted();
  const { format } = options;
  const print = format.as === 'table' || format.as === 'wide' ? tablePrinter(context, found, options) : valuePrinter(context, options);
  const watching = found.resources.watch({
    ...listOptions(context, options),
    ...(options.name === undefined ? {} : { name: options.name, namespace: context.namespace }),
    signal,
  });
  try {
    await inBursts(watching, print);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return 0;
}

async function inBursts(events: AsyncIterable<WatchEvent>, print: Print): Promise<void> {
  let burst: WatchEvent[] = [];
  let printing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    const events = burst;
    burst = [];
    timer = undefined;
    printing = printing.then(() => print(events));
    printing.catch(() => {}); // awaited below
  };
  for await (const event of events) {
    burst.push(event);
    timer ??= setTimeout(flush, BURST_MS);
  }
  clearTimeout(timer);
  if (burst.length > 0) flush();
  await printing;
}

function tablePrinter({ io }: Context, { known }: FoundKind, options: WatchPrinting): Print {
  const columns = columnsOf(
    known,
    {
      wide: options.format.as === 'wide',
      withNamespace: options.allNamespaces === true,
      withLabels: options.showLabels === true,
      withKind: false,
    },
    io,
  );
  const table = new Table([...(options.withEvents ? [{ title: 'EVENT' }] : []), ...columns], { headers: options.headers !== false });
  return async (events) => {
    const now = io.now();
    io.out(
      table.render(
        events.map(({ type, resource }) => [
          ...(options.withEvents ? [type.padEnd('MODIFIED'.length)] : []),
          ...columns.map(({ cell }) => cell(resource, now)),
        ]),
      ),
    );
  };
}

function valuePrinter({ io }: Context, { format, withEvents }: WatchPrinting): Print {
  return async (events) => {
    for (const { type, resource } of events) {
      if (!withEvents || format.as === 'name' || format.as === 'jsonpath') io.out(await renderValue(resource, format));
      else if (format.as === 'json') io.out(`${escapeQuoted(JSON.stringify({ type, object: resource }))}\n`);
      else io.out(`---\n${await renderValue({ type, object: resource }, format)}`);
    }
  };
}
