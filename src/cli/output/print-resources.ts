import type { Resource } from '../../../definitions/core/resource.ts';
import type { Io } from '../io.ts';
import { asOfNow } from './as-of-now.ts';
import { columnsOf, type KindFacts, type TableOptions } from './columns.ts';
import type { Format } from './format.ts';
import { lineWidth } from './line-width.ts';
import { listOf, renderValue } from './objects.ts';
import { Table } from './table.ts';

/** Resources of one kind. */
export interface Block {
  readonly kind: KindFacts;
  readonly resources: readonly Resource[];
}

export interface PrintOptions {
  readonly format: Format;
  readonly withNamespace: boolean;
  readonly withLabels: boolean;
  readonly withKind: boolean;
  readonly headers: boolean;
  /** One was asked for by name, so it is printed as itself and not as a List. */
  readonly single: boolean;
}

/** Prints what `get` found: a table for each kind, or one value. */
export async function printResources(io: Io, blocks: readonly Block[], options: PrintOptions): Promise<void> {
  if (options.format.as === 'table' || options.format.as === 'wide') return printTables(io, blocks, options);
  const all = blocks.flatMap(({ resources }) => resources);
  const [first] = all;
  io.out(await renderValue(options.single && first && all.length === 1 ? first : listOf(all), options.format));
}

async function printTables(io: Io, blocks: readonly Block[], options: PrintOptions): Promise<void> {
  const filled = blocks.filter(({ resources }) => resources.length > 0);
  for (const [index, { kind, resources }] of filled.entries()) {
    if (index > 0) io.out('\n');
    const columns = columnsOf(kind, tableOptions(options), io);
    const now = io.now();
    const shown = await Promise.all(resources.map((resource) => asOfNow(resource, now)));
    io.out(
      new Table(columns, { headers: options.headers, width: lineWidth(io) }).render(
        shown.map((resource) => columns.map(({ cell }) => cell(resource, now))),
      ),
    );
  }
}

export function tableOptions({ format, withNamespace, withLabels, withKind }: PrintOptions): TableOptions {
  return { wide: format.as === 'wide', withNamespace, withLabels, withKind };
}
