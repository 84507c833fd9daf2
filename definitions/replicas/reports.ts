import type { InstanceRevision } from '../core/instance.ts';
import { isGood, MAX_REMEMBERED, type Member, short } from './members.ts';
import type { Replicated } from './replicated.ts';
import type { InstanceReport, ReplicasFacts, RevisionReport } from './report.ts';

const MAX_LOG_CHARS = 1_000;
/** How many may show what they said last. */
const MAX_LOGS = 5;

type Counts = Pick<
  ReplicasFacts,
  'replicas' | 'updatedReplicas' | 'readyReplicas' | 'availableReplicas' | 'unavailableReplicas' | 'instances'
>;

/** The members as people read them; updated are those of the revision that the spec stands for, wherever the rollout is heading. */
export function reportsOf(members: readonly Member[], { replicas }: Replicated, target: InstanceRevision | undefined): Counts {
  const available = members.filter((member) => member.available).length;
  const telling = members.filter(({ lastExit, ready }) => lastExit?.log !== undefined && !ready).slice(0, MAX_LOGS);
  const shown = [...members].sort((a, b) => Number(a.ready) - Number(b.ready)).slice(0, MAX_REMEMBERED);
  return {
    replicas: members.length,
    updatedReplicas: members.filter(({ digest }) => digest === target?.digest).length,
    readyReplicas: members.filter(({ ready }) => ready).length,
    availableReplicas: available,
    unavailableReplicas: Math.max(0, replicas - members.filter(isGood).length),
    instances: members.filter((member) => shown.includes(member)).map((member) => reportOf(member, telling.includes(member))),
  };
}

export function revisionReport({ generation, digest, image }: InstanceRevision): RevisionReport {
  return { generation, digest, ...(image ? { image: image.ref } : {}) };
}

function reportOf(member: Member, withLog: boolean): InstanceReport {
  const { name, id, node, slot, digest, state, ready, readySince, restarts, crashes, startedAt, lastExit, restartAt, finished, ports } =
    member;
  const message = member.handEdited ?? member.unhealthy ?? member.notReady;
  const { log, ...exit } = lastExit ?? { log: undefined };
  return {
    slot,
    name,
    id,
    node,
    revision: short(digest),
    state: finished ? 'finished' : state,
    ready,
    restarts,
    ...(crashes > 0 ? { crashes } : {}),
    ...(startedAt ? { startedAt } : {}),
    ...(readySince === undefined ? {} : { readySince: new Date(readySince).toISOString() }),
    ...(lastExit ? { lastExit: { ...(exit as typeof lastExit), ...(withLog && log ? { log: log.slice(-MAX_LOG_CHARS) } : {}) } } : {}),
    ...(restartAt === undefined ? {} : { nextRestartTime: new Date(restartAt).toISOString() }),
    ...(message ? { message } : {}),
    ...(ports && ports.length > 0 ? { ports } : {}),
  };
}
