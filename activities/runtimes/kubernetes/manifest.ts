import type { V1Deployment, V1DeploymentStrategy, V1ObjectMeta } from '@kubernetes/client-node';
import type { DelegatedWish, InstanceOwner, InstanceRevision } from '../../../definitions/core/instance.ts';
import type { Template } from '../../../definitions/core/template.ts';
import { isLabelKey, isLabelValue } from './check-template.ts';
import { DIGEST, GENERATION, IMAGE, ownerAnnotations, ownLabels, PREFIX, PROBES, type Scope } from './labels.ts';
import { deploymentName } from './names.ts';
import { podSpecOf } from './pod-spec.ts';

/** Everything that the Deployment of one owner is made of. */
export interface Order {
  readonly scope: Scope;
  readonly owner: InstanceOwner;
  readonly revision: InstanceRevision;
  readonly delegated: DelegatedWish;
  readonly namespace: string;
}

/**
 * The Deployment that stands for a wish.
 *
 * Its pod template changes with the revision only, so that scaling replaces nothing: `generation` is that of the first wish with
 * this revision.
 */
export function deploymentOf({ scope, owner, revision, delegated, namespace }: Order, generation: number): V1Deployment {
  const { template } = revision;
  const { replicas, minReadySeconds, progressDeadlineSeconds, paused } = delegated;
  const own = ownLabels(scope, owner);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: deploymentName(owner), namespace, labels: own, annotations: ownerAnnotations(owner) },
    spec: {
      replicas,
      selector: { matchLabels: own },
      strategy: strategyOf(delegated.strategy),
      minReadySeconds,
      progressDeadlineSeconds,
      paused,
      revisionHistoryLimit: 2,
      template: { metadata: podMetadata(own, owner, revision, generation), spec: podSpecOf(template, owner.resource) },
    },
  };
}

function podMetadata(
  own: Record<string, string>,
  owner: InstanceOwner,
  { digest, template }: InstanceRevision,
  generation: number,
): V1ObjectMeta {
  const theirs = Object.entries(template.labels).filter(([key]) => isLabelKey(key) && !key.startsWith(PREFIX));
  const readiness = template.probes.readiness;
  return {
    labels: { ...Object.fromEntries(theirs.filter(([, value]) => isLabelValue(value))), ...own },
    annotations: {
      ...Object.fromEntries(theirs.filter(([, value]) => !isLabelValue(value))),
      ...ownerAnnotations(owner),
      [DIGEST]: digest,
      [GENERATION]: String(generation),
      [IMAGE]: template.image ?? '',
      // Kubernetes cannot ask a task queue; colony does.
      ...(readiness?.check.type === 'taskQueue' ? { [PROBES]: JSON.stringify({ readiness } satisfies Template['probes']) } : {}),
    },
  };
}

function strategyOf({ type, maxSurge, maxUnavailable }: DelegatedWish['strategy']): V1DeploymentStrategy {
  return type === 'Recreate' ? { type } : { type, rollingUpdate: { maxSurge, maxUnavailable } };
}
