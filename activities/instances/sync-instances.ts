import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import type { InstanceOwner, InstanceProblem, InstanceRevision, InstanceWish, Sighting } from '../../definitions/core/instance.ts';
import type { Metadata } from '../../definitions/core/resource.ts';
import { Problem, type Runtime, Unreachable } from '../runtimes/runtime.ts';
import { forEach } from './for-each.ts';
import { type Report, whileReporting } from './reporting.ts';
import type { Warden } from './warden.ts';

/** The wish, and whose it is. */
export interface SyncRequest extends InstanceWish {
  readonly metadata: Pick<Metadata, 'uid' | 'name'>;
}

/**
 * The activity `syncInstances`: brings one owner's instances on this node to what is wished, and says what is there then.
 *
 * Safe to repeat and to interrupt: what is so already is left alone, and a cancelled call ends what it has begun and answers
 * with a fresh look. What cannot be done for a slot is part of the answer; only a runtime that cannot be asked is a failure.
 */
export function createSyncInstances(warden: Warden): (request: SyncRequest) => Promise<Sighting> {
  return (request) =>
    whileReporting(async ({ report, signal, workflowId }) => {
      const runtime = warden.runtimes.get(request.runtime);
      const owner = { uid: request.metadata.uid, name: request.metadata.name, resource: workflowId };
      if (!runtime) return withoutRuntime(request, warden);
      try {
        const work = runtime.converge ? handOver : sync;
        return await warden.alone(owner.uid, async () =>
          warden.answer(owner, runtime.name, await work(warden, runtime, owner, request, { report, signal })),
        );
      } catch (error) {
        if (error instanceof Unreachable) throw ApplicationFailure.retryable(error.message, 'RuntimeUnreachable');
        throw error;
      }
    });
}

interface Call {
  readonly report: (report: Report) => void;
  readonly signal: AbortSignal;
}

/** The runtime does it all by itself: it is told what is wished, and what it has then is read back. */
async function handOver(warden: Warden, runtime: Runtime, owner: InstanceOwner, wish: InstanceWish, call: Call): Promise<Sighting> {
  const doing = wish.remove === 'all' ? 'removing everything' : `waiting for ${runtime.name}`;
  call.report({ doing, done: 0, total: wish.delegated?.replicas ?? 0 });
  const problems = (await runtime.converge?.(owner, wish, call.signal)) ?? [];
  const sighting = await warden.look(runtime, owner.uid);
  return problems.length === 0 ? sighting : { ...sighting, problems };
}

/** One owner's instances, one by one, for a runtime that does nothing by itself. */
export async function sync(warden: Warden, runtime: Runtime, owner: InstanceOwner, wish: InstanceWish, call: Call): Promise<Sighting> {
  const { uid } = owner;
  const { remove, restart, stop } = wish;
  const orders = wish.revisions.flatMap(({ slots, ...revision }) =>
    slots.filter((slot) => !wish.resting.includes(slot)).map((slot) => ({ slot, revision })),
  );
  const isIdle = remove !== 'all' && remove.length + restart.length + orders.length === 0;
  const listed = isIdle ? [] : await runtime.list(uid);
  const leaving = remove === 'all' ? listed : listed.filter(({ id }) => remove.some((one) => one.id === id));
  await forEach(warden.gate, leaving, call, {
    words: ({ name }) => `removing ${name}`,
    work: ({ id }) => runtime.remove(uid, id, stop),
  });
  const lame = listed.filter(({ id }) => restart.some((one) => one.id === id));
  await forEach(warden.gate, lame, call, {
    words: ({ name }) => `restarting ${name}`,
    work: ({ id }) => runtime.restart(uid, id, stop),
  });
  const runs = ({ slot, revision }: (typeof orders)[number]): boolean =>
    listed.some((one) => one.slot === slot && one.digest === revision.digest && one.state === 'running' && !leaving.includes(one));
  const problems: InstanceProblem[] = [];
  await forEach(warden.gate, orders, call, {
    words: (order) => (runs(order) ? undefined : `starting slot ${order.slot}`),
    work: async ({ slot, revision }) => {
      const problem = await ensure(runtime, owner, revision, slot);
      if (problem) problems.push(problem);
    },
  });
  const stuck = new Set(problems.map(({ slot }) => slot));
  const awaited = orders.filter(({ slot }) => !stuck.has(slot));
  if (wish.settleMs && awaited.length > 0) await sleep(wish.settleMs);
  const sighting = await untilReady(warden, runtime, uid, awaited, wish.waitReadyMs, call);
  return problems.length === 0 ? sighting : { ...sighting, problems: problems.sort((a, b) => (a.slot ?? -1) - (b.slot ?? -1)) };
}

async function ensure(
  runtime: Runtime,
  owner: InstanceOwner,
  revision: InstanceRevision,
  slot: number,
): Promise<InstanceProblem | undefined> {
  try {
    await runtime.ensure(owner, revision, slot);
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error.at(slot, revision.digest);
    throw error;
  }
}

const LOOK_AGAIN_MS = 200;

/** Short waits happen here, where they cost nothing; what takes longer is told by the observer. */
async function untilReady(
  warden: Warden,
  runtime: Runtime,
  uid: string,
  awaited: readonly { readonly slot: number; readonly revision: InstanceRevision }[],
  waitMs: number,
  { report, signal }: Call,
): Promise<Sighting> {
  const until = Date.now() + waitMs;
  for (;;) {
    const sighting = await warden.look(runtime, uid);
    const waiting = sighting.instances.filter(
      (one) =>
        awaited.some(({ slot, revision }) => slot === one.slot && revision.digest === one.digest) && one.state === 'running' && !one.ready,
    );
    if (waiting.length === 0 || waiting.some(({ unhealthy }) => unhealthy !== undefined) || Date.now() >= until || signal.aborted)
      return sighting;
    report({
      doing: `waiting for ${waiting[0]?.name}: ${waiting[0]?.notReady ?? 'not ready'}`,
      done: awaited.length - waiting.length,
      total: awaited.length,
    });
    await sleep(LOOK_AGAIN_MS);
  }
}

function withoutRuntime({ runtime, remove }: SyncRequest, { node, runtimes }: Warden): Sighting {
  const there = [...runtimes.keys()].join(', ') || 'none';
  const asOf = { boot: 'none', seq: 0 };
  if (remove === 'all') return { asOf, instances: [] };
  return { asOf, instances: [], problems: [{ reason: 'RuntimeUnavailable', message: hint(runtime, node, there) }] };
}

/** What a person must do so that a node has the runtime. */
export function hint(runtime: SyncRequest['runtime'], node: string, there: string): string {
  const help = {
    docker: 'start a Docker engine there, or set DOCKER_HOST for its agent',
    local: 'set COLONY_ALLOW_LOCAL=true for its agent',
    kubernetes: 'set KUBECONFIG or COLONY_KUBECONFIG for its agent',
  }[runtime];
  return `Node ${node} has no runtime ${runtime} (it has: ${there}); ${help}.`;
}
