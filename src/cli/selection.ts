import { apiVersionOf } from '../../definitions/core/kind.ts';
import type { Manifest } from '../../definitions/core/resource.ts';
import type { Colony, KnownKind, Ref, Resources } from '../client/api.ts';
import { ambiguousWord } from '../client/unknown-kind.ts';
import type { Context } from './context.ts';
import { refuseWithNames } from './contradictions.ts';
import type { Wanted, WantedOne } from './input/targets.ts';
import { isRefusal } from './report.ts';
import { thoseThatHave } from './shared-names.ts';
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

/** What is meant by a resource whose kind's name is shared. */
export interface Sharing {
  /** Several kinds have one of that name: by default it is asked which is meant. */
  readonly several?: 'all';
  /** None has one: what is selected of all that were looked at. By default the error is thrown. */
  readonly none?: (error: unknown, all: readonly Selected[]) => readonly Selected[];
}

const found = (colony: Colony, known: KnownKind): FoundKind => ({
  known,
  resources: colony.resources(apiVersionOf(known.kind), known.names.kind),
});

/** Looks a kind up by any of its names; one that several kinds share is an error. */
export const findKind = async (colony: Colony, name: string): Promise<FoundKind> => found(colony, await colony.resolve(name));

/** All kinds that have that name, in the order of their groups; at least one. */
export const findKinds = async (colony: Colony, name: string): Promise<readonly FoundKind[]> =>
  (await colony.resolveAll(name)).map((known) => found(colony, known));

/** The resource that the words name, in the command's namespace. Where kinds share a name, the one that is there is meant. */
export async function select(context: Context, wanted: WantedOne): Promise<Selected> {
  const [one] = await selectNamed(context, wanted);
  return one!;
}

/** As `select`, for whoever can take several, or do without. At least one, unless `none` says otherwise. */
export async function selectNamed(
  context: Context,
  { kind, name }: WantedOne,
  { several, none }: Sharing = {},
): Promise<readonly Selected[]> {
  const ref = { name, namespace: context.namespace };
  const colony = await context.colony();
  const all = (await findKinds(colony, kind)).map((one) => ({ ...one, ref }));
  if (all.length === 1) return all;
  try {
    const held = await thoseThatHave(
      colony,
      all.map(({ known }) => known),
      ref,
    );
    if (held.length > 1 && several !== 'all')
      throw ambiguousWord(
        kind,
        held.map((one) => one.kind),
      );
    return all.filter(({ known }) => held.some((one) => one.kind === known));
  } catch (error) {
    if (!none || !isRefusal(error, 'NotFound')) throw error;
    return none(error, all);
  }
}

/** The resources that words or filter name; naming neither is a usage error, so that nothing big happens by a slip. */
export async function selectMany(
  context: Context,
  wanted: readonly Wanted[],
  filter: Filter,
  sharing: Sharing = {},
): Promise<readonly Selected[]> {
  refuseWithNames(wanted, { ...filter });
  const colony = await context.colony();
  const selected: Selected[] = [];
  for (const { kind, name } of wanted) {
    if (name !== undefined) {
      selected.push(...(await selectNamed(context, { kind, name }, sharing)));
      continue;
    }
    const kinds = await findKinds(colony, kind);
    if (!filter.all && filter.selector === undefined) throw new UsageError(`which ${kind}? Give names, -l SELECTOR or --all`);
    for (const one of kinds) {
      const resources = await one.resources.list(listOptions(context, filter));
      selected.push(...resources.map((resource) => ({ ...one, ref: refOf(resource) })));
    }
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

/** `widget/w1 -n other`: what a person types to name it again. Where kinds share a name: by one that is its own, `capp/shop`. */
export async function typedRef(colony: Pick<Colony, 'resolveAll'>, { known: { kind, names }, ref }: Selected): Promise<string> {
  const isElsewhere = ref.namespace !== undefined && ref.namespace !== 'default' && kind.scope !== 'Cluster';
  const rest = `/${ref.name}${isElsewhere ? ` -n ${ref.namespace}` : ''}`;
  for (const word of [names.singular, ...names.shortNames]) {
    const found = await colony.resolveAll(word).catch(() => []); // advice is a courtesy: it fails nothing
    if (found.length === 1) return `${word}${rest}`;
  }
  return `${names.singular}.${kind.group}${rest}`;
}
