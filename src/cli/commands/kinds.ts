import { apiVersionOf } from '../../../definitions/core/kind.ts';
import type { KnownKind } from '../../client/api.ts';
import type { Context } from '../context.ts';
import { parseFormat } from '../output/format.ts';
import { lineWidth } from '../output/line-width.ts';
import { listOf, renderValue } from '../output/objects.ts';
import { renderTable } from '../output/table.ts';

export async function run(context: Context, _args: readonly string[], options: { readonly headers?: boolean }): Promise<undefined> {
  const format = parseFormat(context.globals.output, ['table', 'wide', 'json', 'yaml', 'name']);
  const kinds = [...(await (await context.colony()).kinds())].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  if (format.as === 'name') return void context.io.out(kinds.map((kind) => `${nameOf(kind)}\n`).join(''));
  if (format.as === 'json' || format.as === 'yaml') return void context.io.out(await renderValue(listOf(kinds.map(factsOf)), format));
  const wide = format.as === 'wide';
  const rows = kinds.map((known) => [
    known.names.plural,
    known.names.shortNames.join(','),
    apiVersionOf(known.kind),
    String(known.kind.scope === 'Namespaced'),
    known.names.kind,
    ...(wide
      ? [known.builtIn ? 'colony' : 'a definition', Object.keys(known.kind.commands ?? {}).join(','), known.kind.description ?? '']
      : []),
  ]);
  const titles = ['NAME', 'SHORTNAMES', 'APIVERSION', 'NAMESPACED', 'KIND', ...(wide ? ['FROM', 'COMMANDS', 'DESCRIPTION'] : [])];
  context.io.out(renderTable(titles, rows, { headers: options.headers !== false, width: lineWidth(context.io) }));
}

const nameOf = ({ names, kind }: KnownKind): string => `${names.plural}.${kind.group}`;

const factsOf = ({ kind, names, builtIn }: KnownKind): unknown => ({
  name: `${names.plural}.${kind.group}`,
  apiVersion: apiVersionOf(kind),
  namespaced: kind.scope === 'Namespaced',
  ...names,
  builtIn,
  commands: Object.keys(kind.commands ?? {}),
  ...(kind.description ? { description: kind.description } : {}),
});
