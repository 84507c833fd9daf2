import { apiVersionOf } from '../../definitions/core/kind.ts';
import type { Manifest } from '../../definitions/core/resource.ts';
import type { Colony, KnownKind, Ref, Resources } from '../client/api.ts';
import { ambiguousWord } from '../client/unknown-kind.ts';
import type { Context } from './context.ts';
import type { Wanted, WantedOne } from './input/targets.ts';
import { type Held, thoseThatHave } from './shared-names.ts';
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

/** The resource that the words name, in the command's namespace. Where kinds share a name, the one that is there is meant. */
export async function select(context: Context, { kind, name }: WantedOne): Promise<Selected> {
  const ref = { name, namespace: context.namespace };
  const colony = await context.colony();
  const [first, ...others] = await colony.resolveAll(kind);
  const known = others.length === 0 ? first! : only(kind, await thoseThatHave(colony, [first!, ...others], ref)).kind;
  return { known, resources: colony.resources(apiVersionOf(known.kind), known.names.kind), ref };
}

function only(word: string, found: readonly Held<KnownKind>[]): Held<KnownKind> {
  const [one, ...more] = found;
  if (!one || more.length > 0)
    throw ambiguousWord(
      word,
      found.map(({ kind }) => kind),
    );
  return one;
}

/** The resources that words or filter name; naming neither is a usage error, so that nothing big happens by a slip. */
export async function selectMany(context: Context, wanted: readonly Wanted[], filter: Filter): Promise<readonly Selected[]> {
  const colony = await context.colony();
  const selected: Selected[] = [];
  for (const { kind, name } of wanted) {
    if (name !== undefined) {
      if (filter.all || filter.selector !== undefined) throw new UsageError('give names, or --all, or -l; not both');
      selected.push(await select(context, { kind, name }));
      continue;
    }
    const found = await findKind(colony, kind);
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
