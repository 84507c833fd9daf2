import type { Resource } from '../../../definitions/core/resource.ts';
import type { Colony, Resources } from '../../client/api.ts';
import type { Context } from '../context.ts';
import { escapeLine } from '../escape.ts';
import { isDefinition, readManifests } from '../input/manifests.ts';
import { parseFormat } from '../output/format.ts';
import { label } from '../output/identify.ts';
import { renderValue } from '../output/objects.ts';
import { EXIT_ERROR } from '../report.ts';
import { findKind } from '../selection.ts';
import { UsageError } from '../usage-error.ts';
import { type ApplyOptions, run as apply, applyAll, wantsDryRun } from './apply.ts';
import { type DeleteOptions, deleteAll, deletionOf } from './delete.ts';
import { type GetOptions, run as get } from './get.ts';

type Options = { readonly verb: 'create' | 'apply' | 'list' | 'get' | 'delete' } & Omit<ApplyOptions, 'verb'> & DeleteOptions & GetOptions;

const KIND = 'ResourceDefinition';

export async function run(context: Context, args: readonly string[], options: Options): Promise<number | undefined> {
  switch (options.verb) {
    case 'create':
      return register(context, options);
    case 'apply':
      await onlyDefinitions(context, options);
      return apply(context, [], { ...options, verb: 'apply' });
    case 'list':
      return get(context, [KIND], options);
    case 'get':
      return show(context, args[0] ?? '');
    case 'delete':
      return remove(context, args, options);
  }
}

/** Says what was registered the way the ColonyOS documents show it. */
async function register(context: Context, options: Options): Promise<number> {
  const format = parseFormat(context.globals.output, ['table', 'json', 'yaml', 'name']);
  await onlyDefinitions(context, options);
  if (format.as !== 'table') return apply(context, [], { ...options, verb: 'create' });
  const failed = await applyAll(context, { ...options, verb: 'create' }, ({ document, manifest }) => {
    context.io.out(`Registering ResourceDefinition from file: ${escapeLine(document.source.file)}\n`);
    context.io.out(details(manifest.metadata.name, document.manifest.spec));
    context.io.out(`✓ ResourceDefinition ${wantsDryRun(options.dryRun) ? 'is valid (dry run)' : 'registered successfully'}\n`);
  });
  return failed ? EXIT_ERROR : 0;
}

/** Nothing is written when one of the documents is something else. */
async function onlyDefinitions({ io }: Context, { filename, recursive }: Options): Promise<void> {
  const { documents } = await readManifests({ files: filename ?? [], recursive: recursive === true, stdin: io.stdin });
  const other = documents.find(({ manifest }) => !isDefinition(manifest));
  if (other)
    throw new UsageError(`${label(other.manifest)} in ${other.source.file} is no definition`, 'Use colony apply -f for resources.');
}

interface DefinitionSpec {
  readonly group?: unknown;
  readonly version?: unknown;
  readonly versions?: readonly { readonly name?: unknown; readonly storage?: boolean }[];
  readonly names?: { readonly kind?: unknown };
  readonly handler?: { readonly executorType?: unknown; readonly functionName?: unknown };
}

function details(name: string, spec: unknown): string {
  const { group, version, versions = [], names, handler } = (spec ?? {}) as DefinitionSpec;
  const stored = versions.find(({ storage }) => storage) ?? versions[0];
  const lines: readonly [string, unknown][] = [
    ['Name', name],
    ['Group', group],
    ['Version', version ?? stored?.name],
    ['Kind', names?.kind],
    ['Handler Type', handler?.executorType],
    ['Handler Function', handler?.functionName],
  ];
  return `ResourceDefinition Details:\n${lines.map(([title, value]) => `  ${title}: ${escapeLine(String(value ?? '<none>'))}\n`).join('')}`;
}

async function show(context: Context, name: string): Promise<undefined> {
  const format = parseFormat(context.globals.output);
  if (format.as === 'table') {
    const definition = await (await definitions(await context.colony())).get(name);
    return void context.io.out(`${details(definition.metadata.name, definition.spec)}${statusOf(definition)}`);
  }
  if (format.as === 'wide') return void (await get(context, [KIND, name], {}));
  context.io.out(await renderValue(await (await definitions(await context.colony())).get(name), format));
}

function statusOf({ status }: Resource): string {
  return (status?.conditions ?? []).map(({ type, status, message }) => `  ${escapeLine(`${type}: ${status}. ${message}`)}\n`).join('');
}

const definitions = async (colony: Colony): Promise<Resources> => (await findKind(colony, KIND)).resources;

async function remove(context: Context, names: readonly string[], options: Options): Promise<number> {
  const found = await findKind(await context.colony(), KIND);
  const selected = names.map((name) => ({ ...found, ref: { name } }));
  return (await deleteAll(context, selected, deletionOf(options), options)) ? 0 : EXIT_ERROR;
}
