import type { V1ContainerStateTerminated, V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import type { Instance, InstanceExit, InstanceState } from '../../../definitions/core/instance.ts';
import { sentenceOf } from '../docker/errors.ts';
import { exitFrom } from '../docker/seen.ts';
import type { Seen } from '../runtime.ts';
import { type Identity, identityOf, type Scope } from './labels.ts';
import { CONTAINER } from './pod-spec.ts';

/**
 * Our pods as instances, by owner and slot. Pods are told apart by their uid; a slot is only their place in the order in which
 * they were made.
 *
 * Left out: pods that are going away, and what is left of those that were evicted or have ended. Kubernetes does not count them.
 */
export function seenOf(pods: readonly V1Pod[], scope: Scope): Seen[] {
  const ours = pods.flatMap((pod) => {
    const identity = isLeaving(pod) ? undefined : identityOf(pod, scope);
    return identity ? [{ pod, identity }] : [];
  });
  ours.sort(
    (a, b) => compare(a.identity.owner.uid, b.identity.owner.uid) || made(a.pod) - made(b.pod) || compare(nameOf(a.pod), nameOf(b.pod)),
  );
  const slots = new Map<string, number>();
  return ours.map(({ pod, identity }) => {
    const slot = slots.get(identity.owner.uid) ?? 0;
    slots.set(identity.owner.uid, slot + 1);
    return instanceOf(pod, identity, slot);
  });
}

const isLeaving = ({ metadata, status }: V1Pod): boolean =>
  metadata?.deletionTimestamp !== undefined || status?.phase === 'Failed' || status?.phase === 'Succeeded';

function instanceOf(pod: V1Pod, { owner, digest, generation, image, probes }: Identity, slot: number): Seen {
  const container = pod.status?.containerStatuses?.find(({ name }) => name === CONTAINER);
  const state = stateOf(container);
  const readiness = pod.status?.conditions?.find(({ type }) => type === 'Ready');
  const ready = state === 'running' && readiness?.status === 'True';
  const exit = exitOf(container?.state?.terminated ?? container?.lastState?.terminated);
  const stuck = stuckOf(pod, container, image);
  const runs = pod.spec?.containers.find(({ name }) => name === CONTAINER)?.image;
  const startedAt = timeOf(container?.state?.running?.startedAt);
  const readyAt = ready ? timeOf(readiness.lastTransitionTime) : undefined;
  return {
    id: pod.metadata?.uid ?? '',
    name: nameOf(pod),
    slot,
    digest,
    generation,
    state,
    ready,
    ...(ready ? {} : { notReady: stuck?.message ?? waitingText(state) }),
    ...(runs === image ? {} : { handEdited: `somebody changed its image to ${runs}` }),
    ...(startedAt ? { startedAt } : {}),
    ...(exit ? { exit } : {}),
    restarts: container?.restartCount ?? 0,
    ...(readyAt ? { readyAt } : {}),
    ...(stuck ? { stuck } : {}),
    owner,
    probes,
  };
}

function stateOf(container: V1ContainerStatus | undefined): InstanceState {
  if (container?.state?.running) return 'running';
  return container?.state?.terminated || container?.lastState?.terminated ? 'exited' : 'created';
}

function waitingText(state: InstanceState): string {
  if (state === 'running') return 'its readiness probe has not passed yet';
  return state === 'exited' ? 'it ended, and is started again by Kubernetes' : 'it is not started yet';
}

const IMAGE_TROUBLE = [
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
];
const START_TROUBLE = [
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'PreCreateHookError',
  'PreStartHookError',
];
const NEVER_RAN = ['StartError', 'ContainerCannotRun'];
const NOT_EXECUTABLE = /executable file not found|no such file or directory|permission denied|exec format error/i;

/** The same words while it is tried again and again, so that nobody hears the same twice. */
function stuckOf({ status }: V1Pod, container: V1ContainerStatus | undefined, image: string): Instance['stuck'] {
  const waiting = container?.state?.waiting;
  const last = container?.state?.terminated ?? container?.lastState?.terminated;
  if (waiting?.reason && IMAGE_TROUBLE.includes(waiting.reason)) {
    return {
      reason: 'ImageMissing',
      message: `image ${image} cannot be pulled by the cluster: check its name, and the secrets for its registry`,
    };
  }
  if (!container?.state?.running && last?.reason && NEVER_RAN.includes(last.reason)) return startTrouble(last.message ?? last.reason);
  if (waiting?.reason && START_TROUBLE.includes(waiting.reason)) return startTrouble(waiting.message ?? waiting.reason);
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable') {
    return { reason: 'Unschedulable', message: `the cluster has no place for it: ${sentenceOf(scheduled.message ?? '')}` };
  }
  return undefined;
}

function startTrouble(words: string): Instance['stuck'] {
  const text = sentenceOf(words);
  return NOT_EXECUTABLE.test(text)
    ? { reason: 'CommandNotFound', message: `the command cannot be run: ${text}` }
    : { reason: 'StartFailed', message: `Kubernetes could not start it: ${text}` };
}

function exitOf(terminated: V1ContainerStateTerminated | undefined): InstanceExit | undefined {
  const at = timeOf(terminated?.finishedAt);
  if (!terminated || at === undefined) return undefined;
  return exitFrom(terminated.exitCode, at, terminated.reason === 'OOMKilled', terminated.message ?? '');
}

/** The library makes Dates of times, and something invalid of nonsense. */
function timeOf(time: Date | string | undefined): string | undefined {
  const date = time === undefined ? undefined : new Date(time);
  return date && date.getTime() > 0 ? date.toISOString() : undefined;
}

const made = ({ metadata }: V1Pod): number => new Date(metadata?.creationTimestamp ?? 0).getTime();
const nameOf = ({ metadata }: V1Pod): string => metadata?.name ?? '';
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
