import { version } from '../../../package.json';
import type { Context } from '../context.ts';
import { parseFormat } from '../output/format.ts';
import { renderValue } from '../output/objects.ts';

export async function run(context: Context, _args: readonly string[], options: { readonly client?: boolean }): Promise<undefined> {
  const format = parseFormat(context.globals.output, ['table', 'json', 'yaml']);
  const server = options.client ? undefined : await temporalVersion(context);
  const versions = { colony: version, node: process.versions.node, ...(server ? { temporal: server } : {}) };
  if (format.as !== 'table') return void context.io.out(await renderValue(versions, format));
  context.io.out(`colony ${versions.colony} (Node.js ${versions.node})\n`);
  if (!options.client) context.io.out(`Temporal ${server ?? 'is not reachable'}\n`);
}

async function temporalVersion({ globals }: Context): Promise<string | undefined> {
  const { openTemporal } = await import('../temporal.ts');
  try {
    const temporal = await openTemporal(globals);
    return temporal.version;
  } catch {
    return undefined;
  }
}
