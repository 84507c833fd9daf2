import { apiVersionOf } from '../../../definitions/core/kind.ts';
import type { Resource } from '../../../definitions/core/resource.ts';
import type { ListOptions, Ref } from '../../client/api.ts';
import { matches } from '../../client/match-name.ts';
import { publishedOf, sorted } from '../../client/published.ts';
import { existing, type Scope } from '../../client/queries.ts';
import { newestRows } from '../../client/row.ts';
import { parseSelector } from '../../client/selector.ts';
import { DEFAULT_NAMESPACE, targetOf } from '../../client/target.ts';
import type { ReadableKind, Reading } from '../reading.ts';
import type { IndexReader } from './index-reader.ts';

/** The quick way does not know for sure; the client will. */
export class Unsure extends Error {
  override readonly name = 'Unsure';
}

const DEFINITION = { kind: 'ResourceDefinition', plural: 'resourcedefinitions', group: 'colonies.io' };

/**
 * Reads what Temporal's index has published.
 *
 * Guarantees: answers as the client would, or throws; it never answers with less.
 */
export function quickReading(index: IndexReader, builtIn: readonly ReadableKind[]): Reading {
  let kinds: Promise<readonly ReadableKind[]> | undefined;
  const knownKinds = (): Promise<readonly ReadableKind[]> => {
    kinds ??= readKinds(index, builtIn);
    return kinds;
  };
  const only = (found: readonly ReadableKind[]): ReadableKind => {
    const [one, ...more] = found;
    if (!one || more.length > 0) throw new Unsure('which kind is meant');
    return one;
  };
  const lookUp = async (apiVersion: string, kind: string): Promise<ReadableKind> =>
    only((await knownKinds()).filter((known) => known.names.kind === kind && apiVersionOf(known.kind) === apiVersion));
  return {
    kinds: knownKinds,
    resolveAll: async (name) => {
      const ours = matches(builtIn, name);
      return ours.length > 0 ? ours : [only(matches(await knownKinds(), name))];
    },
    list: async (options = {}) => (await published(index, {})).filter(pickerOf(options)),
    resources: (apiVersion, kind) => ({
      get: async (ref) => getOne(index, await lookUp(apiVersion, kind), ref),
      list: async (options = {}) => {
        const picks = parseSelector(options.labels);
        const resources = await published(index, scopeOf(await lookUp(apiVersion, kind), options));
        return resources.filter(({ metadata }) => picks(metadata.labels));
      },
    }),
  };
}

async function readKinds(index: IndexReader, builtIn: readonly ReadableKind[]): Promise<readonly ReadableKind[]> {
  const isBuiltIn = ({ kind, names }: ReadableKind): boolean =>
    builtIn.some((one) => one.kind.group === kind.group && one.names.kind === names.kind);
  const defined = (await published(index, { kind: DEFINITION })).map(({ spec }) => {
    const { group, version, scope, names, columns } = spec as unknown as ReadableKind['kind'] & ReadableKind;
    return { kind: { group, version, scope, names }, names, columns };
  });
  return [...builtIn, ...defined.filter((known) => !isBuiltIn(known))];
}

/** Every resource of the scope as it stands in the index; unsure when one of them is newer than what it has published. */
async function published(index: IndexReader, scope: Scope): Promise<Resource[]> {
  const resources = newestRows(await index.rows(existing(scope))).map((row) => {
    const resource = publishedOf(row);
    if (!resource) throw new Unsure(row.workflowId);
    return resource;
  });
  return sorted(resources);
}

async function getOne(index: IndexReader, { kind }: ReadableKind, ref: string | Ref): Promise<Resource> {
  const row = await index.describe(targetOf(kind, ref).workflowId);
  const resource = row?.open ? publishedOf(row) : undefined;
  if (!resource) throw new Unsure('whether it is there');
  return resource;
}

function scopeOf({ kind }: ReadableKind, { namespace = DEFAULT_NAMESPACE, allNamespaces }: ListOptions): Scope {
  const { names, group } = kind;
  const all = kind.scope === 'Cluster' || allNamespaces;
  const checked = all ? undefined : targetOf(kind, { name: 'any', namespace }).identity.namespace;
  return { kind: { kind: names.kind, plural: names.plural, group }, ...(checked === undefined ? {} : { namespace: checked }) };
}

function pickerOf({ namespace = DEFAULT_NAMESPACE, allNamespaces, labels }: ListOptions): (resource: Resource) => boolean {
  const picks = parseSelector(labels);
  return ({ metadata }) => (allNamespaces || metadata.namespace === namespace) && picks(metadata.labels);
}
