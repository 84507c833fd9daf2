import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Deployment } from '@kubernetes/client-node';
import type { DelegatedWish, InstanceOwner, InstanceProblem, InstanceWish } from '../../../definitions/core/instance.ts';
import { blocked } from '../docker/check-policy.ts';
import { sentenceOf } from '../docker/errors.ts';
import type { NodePolicy } from '../policy.ts';
import { Problem } from '../runtime.ts';
import { checkTemplate } from './check-template.ts';
import { isStatus, refusal, unknown } from './errors.ts';
import { DIGEST, GENERATION, isOwnedBy, selectorOf } from './labels.ts';
import { deploymentOf, type Order } from './manifest.ts';
import { deploymentName } from './names.ts';
import type { Pods } from './pods.ts';

/** By which Kubernetes knows which fields are ours. */
const FIELD_MANAGER = 'colony';
const LOOK_AGAIN_MS = 500;
const TRIES = 20;

/** Brings the Deployment of an owner to what is wished; see `Runtime.converge`. */
export class Converger {
  constructor(
    private readonly pods: Pods,
    private readonly policy: NodePolicy,
  ) {}

  async converge(owner: InstanceOwner, wish: InstanceWish, signal: AbortSignal): Promise<readonly InstanceProblem[]> {
    if (wish.remove === 'all') {
      await this.removeAll(owner.uid, signal);
      return [];
    }
    const [revision] = wish.revisions;
    const { delegated } = wish;
    if (!revision || !delegated) return [];
    try {
      checkTemplate(revision.template, this.policy);
      checkRestart(delegated);
      const namespace = revision.template.kubernetes?.namespace ?? (await this.pods.cluster.connect()).namespace;
      const order = { scope: this.pods.scope, owner, revision, delegated, namespace };
      await this.apply(order, signal);
      await this.delete(owner.uid, (deployment) => deployment.metadata?.namespace !== namespace);
      return await this.untilThere(order, wish.waitReadyMs, signal);
    } catch (error) {
      if (error instanceof Problem) return [{ reason: error.reason, message: error.message }];
      throw error;
    }
  }

  /** Everything that the owner has is gone when it comes back, unless the signal says that nobody waits any more. */
  async removeAll(uid: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const left = await this.delete(uid, () => true);
      const { pods } = await this.pods.list(uid);
      if (left + pods.length === 0 || signal.aborted) return;
      await pause(signal);
    }
  }

  /** Server-side apply, so that what others have added to the Deployment stays; what we say is so, whoever has changed it. */
  private async apply(order: Order, signal: AbortSignal): Promise<void> {
    const { scope, owner, revision, namespace } = order;
    const name = deploymentName(owner);
    const { cluster } = this.pods;
    for (let tries = 0; tries < TRIES && !signal.aborted; tries += 1) {
      const found = await this.read(namespace, name);
      if (found && !isOwnedBy(found.metadata ?? {}, scope, owner.uid)) {
        throw blocked(`Deployment ${namespace}/${name} is there and is not ours: remove it, or give this resource another name`);
      }
      if (found?.metadata?.deletionTimestamp === undefined) {
        const body = deploymentOf(order, generationOf(found, revision));
        // Only the very one that was looked at: a stranger may have come in its place.
        if (found?.metadata?.uid && body.metadata) body.metadata.uid = found.metadata.uid;
        try {
          await cluster.call(({ apps, library }) =>
            apps.patchNamespacedDeployment(
              { name, namespace, body, fieldManager: FIELD_MANAGER, force: found !== undefined },
              library.setHeaderOptions('Content-Type', library.PatchStrategy.ServerSideApply),
            ),
          );
          return;
        } catch (error) {
          if (!isStatus(error, 409)) throw refusal(error, namespace);
        }
      }
      await pause(signal);
    }
    if (!signal.aborted)
      throw new Problem('StartFailed', `Deployment ${namespace}/${name} cannot be written: others change it all the time`);
  }

  private async read(namespace: string, name: string): Promise<V1Deployment | undefined> {
    try {
      return await this.pods.cluster.find(({ apps }) => apps.readNamespacedDeployment({ name, namespace }));
    } catch (error) {
      throw refusal(error, namespace);
    }
  }

  /** Answers how many are left. */
  private async delete(uid: string, isUnwanted: (deployment: V1Deployment) => boolean): Promise<number> {
    const { cluster, scope } = this.pods;
    try {
      const { items } = await cluster.call(({ apps }) => apps.listDeploymentForAllNamespaces({ labelSelector: selectorOf(scope, uid) }));
      const unwanted = items.filter(isUnwanted);
      for (const { metadata: { name = '', namespace = '', uid: exactly = '', deletionTimestamp } = {} } of unwanted) {
        if (deletionTimestamp !== undefined) continue;
        const body = { propagationPolicy: 'Foreground', preconditions: { uid: exactly } };
        await cluster.find(({ apps }) => apps.deleteNamespacedDeployment({ name, namespace, body }));
      }
      return unwanted.length;
    } catch (error) {
      // Another took its name meanwhile: the next look shows it.
      if (isStatus(error, 409)) return 1;
      throw unknown(error);
    }
  }

  /** Short waits happen here, where they cost nothing; what takes longer is told by the observer. */
  private async untilThere(order: Order, waitMs: number, signal: AbortSignal): Promise<readonly InstanceProblem[]> {
    const { owner, revision, delegated, namespace } = order;
    const until = Date.now() + waitMs;
    for (;;) {
      const failure = failureOf(await this.read(namespace, deploymentName(owner)));
      if (failure) return [failure];
      const seen = await this.pods.see(owner.uid);
      const isThere = seen.length === delegated.replicas && seen.every(({ digest, ready }) => ready && digest === revision.digest);
      const isStuck = seen.some(({ digest, stuck }) => stuck !== undefined && digest === revision.digest);
      if (isThere || isStuck || delegated.paused || Date.now() >= until || signal.aborted) return [];
      await pause(signal);
    }
  }
}

function checkRestart({ restart }: DelegatedWish): void {
  if (restart !== 'Always')
    throw blocked(`restart policy ${restart} is not for runtime kubernetes: a Deployment starts again what has ended`);
}

/** Of the first wish with this revision, so that the pod template stays as it is. */
function generationOf(found: V1Deployment | undefined, { digest, generation }: Order['revision']): number {
  const { [DIGEST]: before, [GENERATION]: first } = found?.spec?.template.metadata?.annotations ?? {};
  return before === digest && first !== undefined && /^\d{1,9}$/.test(first) ? Number(first) : generation;
}

/** Why no pods can be made: a quota, a policy of the namespace. */
function failureOf(deployment: V1Deployment | undefined): InstanceProblem | undefined {
  const { status, metadata } = deployment ?? {};
  if ((status?.observedGeneration ?? 0) < (metadata?.generation ?? 0)) return undefined;
  const failure = status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
  if (failure?.status !== 'True') return undefined;
  const words = (failure.message ?? '').replace(/^pods "[^"]*" is forbidden: /, '');
  return { reason: 'Blocked', message: `the cluster lets no more pods be made: ${sentenceOf(words)}` };
}

const pause = (signal: AbortSignal): Promise<void> => sleep(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
