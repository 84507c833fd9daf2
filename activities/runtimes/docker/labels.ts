import type { InstanceOwner, InstanceRevision } from '../../../definitions/core/instance.ts';
import type { Port, Probes } from '../../../definitions/core/template.ts';
import type { Recipe } from './recipe.ts';

/** Whose containers are ours: those of one installation on one node. */
export interface Scope {
  /** Id of the Temporal namespace. */
  readonly cluster: string;
  readonly node: string;
}

/** What the labels of one of our containers say. Labels never change while a container lives. */
export interface Identity {
  readonly owner: InstanceOwner;
  readonly slot: number;
  readonly digest: string;
  readonly generation: number;
  readonly probes: Probes;
  readonly portNames: readonly PortName[];
  readonly recipe?: Recipe;
  readonly once?: true;
}

export type PortName = Pick<Port, 'container' | 'protocol' | 'name'>;

type Labels = Readonly<Record<string, string>>;

const PREFIX = 'colony.';

/** All labels of a new container; a person's own labels never stand for ours. */
export function labelsOf(
  scope: Scope,
  owner: InstanceOwner,
  revision: InstanceRevision,
  slot: number,
  recipe: Recipe,
  once = false,
): Record<string, string> {
  const { template } = revision;
  const named: readonly PortName[] = template.ports.filter(({ name }) => name !== undefined);
  const theirs = Object.entries(template.labels).filter(([key]) => !key.toLowerCase().startsWith(PREFIX));
  return {
    ...Object.fromEntries(theirs),
    'colony.cluster': scope.cluster,
    'colony.node': scope.node,
    'colony.uid': owner.uid,
    'colony.resource': owner.resource,
    'colony.name': owner.name,
    'colony.slot': String(slot),
    'colony.digest': revision.digest,
    'colony.generation': String(revision.generation),
    'colony.recipe': JSON.stringify(recipe),
    ...(once && { 'colony.once': 'true' }),
    ...(Object.keys(template.probes).length > 0 && { 'colony.probes': JSON.stringify(template.probes) }),
    ...(named.length > 0 && {
      'colony.ports': JSON.stringify(named.map(({ container, protocol, name }) => ({ container, protocol, name }))),
    }),
  };
}

/** Filters of a listing; the engine joins them with "and". */
export function labelFilter({ cluster, node }: Scope, uid?: string): string[] {
  return [`colony.cluster=${cluster}`, `colony.node=${node}`, ...(uid === undefined ? [] : [`colony.uid=${uid}`])];
}

/** Undefined for a stranger, and for whatever carries our labels without making sense: neither is ours to act on. */
export function identityOf(labels: Labels | null | undefined, scope: Scope): Identity | undefined {
  if (labels?.['colony.cluster'] !== scope.cluster || labels['colony.node'] !== scope.node) return undefined;
  const owner = { uid: labels['colony.uid'] ?? '', resource: labels['colony.resource'] ?? '', name: labels['colony.name'] ?? '' };
  const slot = countIn(labels['colony.slot']);
  const generation = countIn(labels['colony.generation']);
  const digest = labels['colony.digest'];
  if (!owner.uid || !owner.resource || !owner.name || !digest || slot === undefined || generation === undefined) return undefined;
  const recipe = parsed<Recipe>(labels['colony.recipe']);
  return {
    owner,
    slot,
    digest,
    generation,
    probes: parsed<Probes>(labels['colony.probes']) ?? {},
    portNames: parsed<PortName[]>(labels['colony.ports']) ?? [],
    ...(recipe && { recipe }),
    ...(labels['colony.once'] === 'true' && { once: true as const }),
  };
}

function countIn(text: string | undefined): number | undefined {
  return text !== undefined && /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : undefined;
}

function parsed<T extends object>(text: string | undefined): T | undefined {
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}
