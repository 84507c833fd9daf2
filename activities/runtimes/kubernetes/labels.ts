import type { V1ObjectMeta, V1Pod } from '@kubernetes/client-node';
import type { InstanceOwner } from '../../../definitions/core/instance.ts';
import type { Probes } from '../../../definitions/core/template.ts';

/** Whose Deployments and pods are ours: those of one installation, made by one node. */
export interface Scope {
  /** Id of the Temporal namespace. */
  readonly cluster: string;
  readonly node: string;
}

/** What a pod says about itself. Labels take 63 characters at most, so what may be longer is an annotation. */
export interface Identity {
  readonly owner: InstanceOwner;
  readonly digest: string;
  readonly generation: number;
  /** As it was handed over. */
  readonly image: string;
  /** Those that colony itself must ask. */
  readonly probes: Probes;
}

export const PREFIX = 'colony.io/';
export const CLUSTER = 'colony.io/cluster';
export const NODE = 'colony.io/node';
export const UID = 'colony.io/uid';
export const RESOURCE = 'colony.io/resource';
export const NAME = 'colony.io/name';
export const DIGEST = 'colony.io/digest';
export const GENERATION = 'colony.io/generation';
export const IMAGE = 'colony.io/image';
export const PROBES = 'colony.io/probes';

/** By which everything of an owner is found; also the selector of its Deployment, which cannot be changed. */
export function ownLabels({ cluster, node }: Scope, { uid }: Pick<InstanceOwner, 'uid'>): Record<string, string> {
  return { [CLUSTER]: cluster, [NODE]: node, [UID]: uid };
}

export function selectorOf({ cluster, node }: Scope, uid?: string): string {
  return [`${CLUSTER}=${cluster}`, `${NODE}=${node}`, ...(uid === undefined ? [] : [`${UID}=${uid}`])].join(',');
}

export function ownerAnnotations({ resource, name }: InstanceOwner): Record<string, string> {
  return { [RESOURCE]: resource, [NAME]: name };
}

/** Is it ours, and this owner's? */
export function isOwnedBy({ labels = {} }: V1ObjectMeta, scope: Scope, uid: string): boolean {
  return Object.entries(ownLabels(scope, { uid })).every(([key, value]) => labels[key] === value);
}

/** Undefined for a stranger, and for whatever carries our labels without making sense. */
export function identityOf({ metadata: { labels = {}, annotations = {} } = {} }: V1Pod, scope: Scope): Identity | undefined {
  if (labels[CLUSTER] !== scope.cluster || labels[NODE] !== scope.node) return undefined;
  const owner = { uid: labels[UID] ?? '', resource: annotations[RESOURCE] ?? '', name: annotations[NAME] ?? '' };
  const { [DIGEST]: digest, [GENERATION]: generation = '', [IMAGE]: image = '' } = annotations;
  if (!owner.uid || !owner.resource || !owner.name || !digest || !/^\d{1,9}$/.test(generation)) return undefined;
  return { owner, digest, generation: Number(generation), image, probes: probesIn(annotations[PROBES]) };
}

function probesIn(text: string | undefined): Probes {
  try {
    return text === undefined ? {} : (JSON.parse(text) as Probes);
  } catch {
    return {};
  }
}
