import type { Resource } from '../../../definitions/core/resource.ts';
import type { ReplicasFacts } from '../../../definitions/replicas/report.ts';
import { readyOf } from './columns.ts';

/** How far a resource is on its way to the spec in force. */
export interface Outlook {
  readonly state: 'underWay' | 'paused' | 'done' | 'failed';
  /** One sentence, without its full stop. */
  readonly message: string;
}

/**
 * Reads a status: done when the newest revision has taken over and the resource is ready; a kind that speaks of no rollout, when it
 * is ready. What has come to its end, as a run does, and is not ready, has failed.
 */
export function outlookOf(resource: Resource): Outlook {
  const { metadata, status } = resource;
  const facts = (status ?? {}) as Partial<ReplicasFacts>;
  const ready = readyOf(resource);
  const { rollout } = facts;
  const outlook = (state: Outlook['state'], message: string): Outlook => ({ state, message: message.replace(/\.$/, '') });
  if (metadata.deletionTimestamp) return outlook('failed', 'it is being deleted');
  // What was said of an earlier spec is no answer.
  if (!ready || ready.observedGeneration < metadata.generation)
    return outlook('underWay', `generation ${metadata.generation} was not looked at yet`);
  const target = facts.targetRevision;
  if (rollout && target && target.generation < metadata.generation)
    return outlook('underWay', ready.status === 'False' ? ready.message : 'what the image stands for is not known yet');
  if (rollout?.state === 'Failed' || rollout?.state === 'RolledBack') return outlook('failed', rollout.message);
  if (ready.status === 'True' && (!rollout || rollout.state === 'Complete')) {
    // Of those that have done their work none is ready any more.
    const message = ready.reason === 'Completed' ? ready.message : (countsOf(facts) ?? ready.message);
    return outlook('done', rollout?.paused ? `${message.replace(/\.$/, '')}; paused, so nothing new takes over` : message);
  }
  if (ready.status !== 'True' && status?.conditions?.some((one) => one.type === 'Completed' && one.status === 'True'))
    return outlook('failed', ready.message);
  const paused = status?.conditions?.find((one) => one.type === 'Paused' && one.status === 'True');
  if (paused || rollout?.state === 'Paused') return outlook('paused', paused?.message ?? rollout?.message ?? 'it is paused');
  if (rollout?.state === 'Progressing' && (ready.status !== 'Unknown' || ready.reason === 'Reconciling')) {
    const degraded = status?.conditions?.find((one) => one.type === 'Degraded' && one.status === 'True');
    return outlook('underWay', `${rollout.message.replace(/\.$/, '')}${degraded ? `; ${degraded.message}` : ''}`);
  }
  const counts = countsOf(facts);
  // Reconciling says nothing that the counts do not say better; all other reasons are what a person must know.
  return outlook('underWay', counts && ready.reason === 'Reconciling' ? counts : ready.message);
}

/** `5 replicas, 5 updated, 4 ready`; undefined for a kind without instances. */
function countsOf({ replicas, updatedReplicas, readyReplicas }: Partial<ReplicasFacts>): string | undefined {
  if (typeof replicas !== 'number' || typeof updatedReplicas !== 'number') return undefined;
  return `${replicas} ${replicas === 1 ? 'replica' : 'replicas'}, ${updatedReplicas} updated, ${readyReplicas ?? 0} ready`;
}
