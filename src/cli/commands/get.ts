import { apiVersionOf } from '../../../definitions/core/kind.ts';
import type { Resource } from '../../../definitions/core/resource.ts';
import type { Context } from '../context.ts';
import { refuseWithNames } from '../contradictions.ts';
import { parseTargets, type Wanted } from '../input/targets.ts';
import { type Format, parseFormat } from '../output/format.ts';
import { type Block, printResources } from '../output/print-resources.ts';
import type { ReadableKind, Reading } from '../reading.ts';
import { EXIT_ERROR, report } from '../report.ts';
import { findKinds, listOptions, selectNamed } from '../selection.ts';
import { thoseThatHave } from '../shared-names.ts';
import { UsageError } from '../usage-error.ts';

export interface GetOptions {
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly watch?: boolean;
  readonly showLabels?: boolean;
  readonly headers?: boolean;
}

const ALL = 'all';

export async function run(context: Context, args: readonly string[], options: GetOptions): Promise<number> {
  const format = parseFormat(context.globals.output);
  const wanted = parseTargets(args);
  refuseWithNames(wanted, options);
  if (options.watch) return watchOne(context, wanted, options, format);
  const found = await find(context, wanted, options);
  await show(context, found, { wanted, options, format });
  return found.failed ? EXIT_ERROR : 0;
}

interface Found {
  readonly blocks: readonly Block[];
  /** Something that was named could not be read; said already. */
  readonly failed: boolean;
  /** No namespace was looked at. */
  readonly isCluster: boolean;
}

async function find(context: Context, wanted: readonly Wanted[], options: GetOptions): Promise<Found> {
  const reading = await context.reading();
  if (wanted.some(({ kind }) => kind === ALL))
    return { blocks: await everything(reading, context, options), failed: false, isCluster: false };
  const blocks = new Map<string, { kind: ReadableKind; resources: Resource[] }>();
  let failed = false;
  for (const { kind, name } of wanted) {
    const kinds = await reading.resolveAll(kind);
    try {
      for (const { kind: known, resources } of await read(reading, kinds, name, { context, options })) {
        const key = `${apiVersionOf(known.kind)}/${known.names.kind}`;
        const block = blocks.get(key) ?? { kind: known, resources: [] };
        blocks.set(key, block);
        block.resources.push(...resources);
      }
    } catch (error) {
      if (wanted.length === 1) throw error;
      report(context.io, error, { verbose: context.globals.verbose === true });
      failed = true;
    }
  }
  return { blocks: [...blocks.values()], failed, isCluster: [...blocks.values()].every(({ kind }) => kind.kind.scope === 'Cluster') };
}

interface Asked {
  readonly context: Context;
  readonly options: GetOptions;
}

/** The resource of that name, or all of them; of every kind that has them, where kinds share a name. */
async function read(
  reading: Reading,
  kinds: readonly ReadableKind[],
  name: string | undefined,
  { context, options }: Asked,
): Promise<readonly { readonly kind: ReadableKind; readonly resources: readonly Resource[] }[]> {
  const resourcesOf = ({ kind, names }: ReadableKind) => reading.resources(apiVersionOf(kind), names.kind);
  if (name === undefined)
    return Promise.all(kinds.map(async (kind) => ({ kind, resources: await resourcesOf(kind).list(listOptions(context, options)) })));
  const ref = { name, namespace: context.namespace };
  const [first, ...others] = kinds;
  if (first && others.length === 0) return [{ kind: first, resources: [await resourcesOf(first).get(ref)] }];
  return (await thoseThatHave(reading, kinds, ref)).map(({ kind, resource }) => ({ kind, resources: [resource] }));
}

/** Resources of every kind, one block for each; definitions are not among them, as with kubectl. */
export async function everything(reading: Reading, context: Context, options: GetOptions): Promise<readonly Block[]> {
  const [kinds, all] = await Promise.all([reading.kinds(), reading.list(listOptions(context, options))]);
  const byKind = new Map<string, Resource[]>();
  for (const resource of all) {
    if (resource.kind === 'ResourceDefinition') continue;
    const key = `${resource.apiVersion}/${resource.kind}`;
    byKind.set(key, [...(byKind.get(key) ?? []), resource]);
  }
  return [...byKind]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, resources]) => {
      const known = kinds.find(({ kind, names }) => `${apiVersionOf(kind)}/${names.kind}` === key);
      return { kind: known ?? bareKind(resources[0]?.kind ?? ''), resources };
    });
}

/** A kind whose definition is gone: its resources are still shown. */
const bareKind = (kind: string): Block['kind'] => ({
  names: { kind, listKind: `${kind}List`, singular: kind.toLowerCase(), plural: kind.toLowerCase(), shortNames: [] },
  columns: [],
});

interface Showing {
  readonly wanted: readonly Wanted[];
  readonly options: GetOptions;
  readonly format: Format;
}

async function show(context: Context, { blocks, failed, isCluster }: Found, { wanted, options, format }: Showing): Promise<void> {
  const isEmpty = blocks.every(({ resources }) => resources.length === 0);
  const isTable = format.as === 'table' || format.as === 'wide';
  if (isEmpty && failed) return;
  if (isEmpty && (isTable || format.as === 'name'))
    return context.io.err(nothing(context, { allNamespaces: options.allNamespaces || isCluster }));
  await printResources(context.io, blocks, {
    format,
    withNamespace: options.allNamespaces === true,
    withLabels: options.showLabels === true,
    withKind: blocks.length > 1 || wanted.some(({ kind }) => kind === ALL),
    headers: options.headers !== false,
    single: wanted.length === 1 && wanted[0]?.name !== undefined,
  });
}

export const nothing = ({ namespace }: Context, { allNamespaces }: GetOptions): string =>
  allNamespaces ? 'No resources found.\n' : `No resources found in namespace ${namespace}.\n`;

async function watchOne(context: Context, wanted: readonly Wanted[], options: GetOptions, format: Format): Promise<number> {
  const [one, ...more] = wanted;
  if (!one || more.length > 0 || one.kind === ALL) throw new UsageError('a watch takes one kind, or one resource', 'colony get widgets -w');
  const { printWatch } = await import('../output/print-watch.ts');
  const printing = { ...options, format, withEvents: false };
  const { kind, name } = one;
  if (name === undefined) return printWatch(context, await findKinds(await context.colony(), kind), printing);
  const found = await selectNamed(context, { kind, name }, { several: 'all' });
  for (const { resources, ref } of found) await resources.get(ref);
  return printWatch(context, found, { ...printing, name });
}
