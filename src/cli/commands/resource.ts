import type { Resource } from '../../../definitions/core/resource.ts';
import type { Context } from '../context.ts';
import { parseFormat } from '../output/format.ts';
import { label } from '../output/identify.ts';
import { printResources } from '../output/print-resources.ts';
import { EXIT_ERROR } from '../report.ts';
import { findKind, refOf, type Selected } from '../selection.ts';
import { UsageError } from '../usage-error.ts';
import { type DeleteOptions, deleteAll, deletionOf } from './delete.ts';
import { everything, type GetOptions, run as get } from './get.ts';

type Options = { readonly verb: 'get' | 'list' | 'delete'; readonly kind?: string } & GetOptions & DeleteOptions;

export async function run(context: Context, [name = '']: readonly string[], options: Options): Promise<number> {
  switch (options.verb) {
    case 'list':
      return get(context, [options.kind ?? 'all'], options);
    case 'get':
      return show(context, name, options);
    case 'delete':
      return remove(context, name, options);
  }
}

async function show(context: Context, name: string, options: Options): Promise<number> {
  const blocks = (await everything(await context.colony(), context, {}))
    .map(({ kind, resources }) => ({ kind, resources: resources.filter(({ metadata }) => metadata.name === name) }))
    .filter(({ resources }) => resources.length > 0);
  if (blocks.length === 0) throw absent(context, name);
  await printResources(context.io, blocks, {
    format: parseFormat(context.globals.output),
    withNamespace: false,
    withLabels: options.showLabels === true,
    withKind: true,
    headers: options.headers !== false,
    single: true,
  });
  return 0;
}

async function remove(context: Context, name: string, options: Options): Promise<number> {
  const selected = await only(context, name);
  return (await deleteAll(context, [selected], deletionOf(options), options)) ? 0 : EXIT_ERROR;
}

/** The one resource of that name; when kinds share it, the person must say which. */
async function only(context: Context, name: string): Promise<Selected> {
  const colony = await context.colony();
  const blocks = await everything(colony, context, {});
  const found: readonly Resource[] = blocks.flatMap(({ resources }) => resources.filter(({ metadata }) => metadata.name === name));
  const [one, ...more] = found;
  if (!one) throw absent(context, name);
  if (more.length > 0)
    throw new UsageError(`several resources are called ${name}: ${found.map(label).join(', ')}`, 'Say which: colony delete KIND/NAME');
  return { ...(await findKind(colony, `${one.kind}.${one.apiVersion.split('/')[0]}`)), ref: refOf(one) };
}

const absent = ({ namespace }: Context, name: string): Error =>
  Object.assign(new Error(`no resource of any kind is called ${JSON.stringify(name)} in namespace ${namespace}`), {
    code: 'NotFound',
    hint: `List what there is: colony resource list -n ${namespace}`,
  });
