import { apiVersionOf } from '../../definitions/core/kind.ts';
import type { Manifest } from '../../definitions/core/resource.ts';
import type { Colony, KnownKind, Ref, Resources } from '../client/api.ts';
import type { Context } from './context.ts';
import type { Wanted, WantedOne } from './input/targets.ts';
import { UsageError } from './usage-error.ts';

/** A kind that was found, and the way to its resources. */
export interface FoundKind {
  readonly known: KnownKind;
  readonly resources: Resources;
}

/** One resource that the command line names. */
export interface Selected extends FoundKind {
  readonly ref: Ref;
}

/** Which of a kind, when no names are given. */
export interface Filter {
  readonly all?: boolean;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
}

/** Looks a kind up by any of its names. */
export async function findKind(colony: Colony, name: string): Promise<FoundKind> {
  const known = await colony.resolve(name);
  return { known, resources: colony.resources(apiVersionOf(known.kind), known.names.kind) };
}

/** The resource that the words name, in the command's namespace. */
export async function select(context: Context, wanted: WantedOne): Promise<Selected> {
  const found = await findKind(await context.colony(), wanted.kind);
  return { ...found, ref: { name: wanted.name, namespace: context.namespace } };
}

/** The resources that words or filter name; naming neither is a usage error, so that nothing big happens by a slip. */
export async function selectMany(context: Context, wanted: readonly Wanted[], filter: Filter): Promise<readonly Selected[]> {
  const colony = await context.colony();
  const selected: Selected[] = [];
  for (const { kind, name } of wanted) {
    const found = await findKind(colony, kind);
    if (name !== undefined) {
      if (filter.all || filter.selector !== undefined) throw new UsageError('give names, or --all, or -l; not both');
      selected.push({ ...found, ref: { name, namespace: context.namespace } });
      continue;
    }
    if (!filter.all && filter.selector === undefined) throw new UsageError(`which ${kind}? Give names, -l SELECTOR or --all`);
    const resources = await found.resources.list(listOptions(context, filter));
    selected.push(...resources.map((resource) => ({ ...found, ref: refOf(resource) })));
  }
  return selected;
}

/** Namespace and labels as the client wants them. */
export function listOptions(context: Context, { allNamespaces, selector }: Filter) {
  return {
    ...(allNamespaces ? { allNamespaces: true } : { namespace: context.namespace }),
    ...(selector === undefined ? {} : { labels: selector }),
  };
}

export const refOf = ({ metadata: { name, namespace } }: Pick<Manifest, 'metadata'>): Ref => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
});

/** `widget.example.com/w1`, for a resource that need not exist. */
export function labelOf({ known, ref }: Selected): string {
  return `${known.names.kind.toLowerCase()}.${known.kind.group}/${ref.name}`;
}
