import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { HandlerRequest, HandlerResult } from '../../definitions/handled/contract.ts';
import type { ColonyClient } from '../../src/client/api.ts';

/** What a scenario may use; `tries` counts the handler's calls by name. */
export interface Scene {
  readonly colony: ColonyClient;
  readonly client: Client;
}

/** A piece of a resource's life worth keeping; answers with the workflow it was played in. */
type Scenario = (scene: Scene) => Promise<string>;

const API = 'example.com/v1';
const tries = new Map<string, number>();

/** The handler of all scenarios: behaves as the spec's colour says. */
export async function handle({ operation, metadata, spec }: HandlerRequest): Promise<HandlerResult> {
  const colour = spec.colour as string;
  const times = (tries.get(metadata.name) ?? 0) + 1;
  tries.set(metadata.name, times);
  if (operation === 'finalize') return {};
  if (colour === 'broken') throw new Error('it is broken');
  if (colour === 'forbidden') throw ApplicationFailure.nonRetryable('not this one', 'Forbidden');
  if (colour === 'slow' && times < 6) throw ApplicationFailure.create({ type: 'NotReady', message: 'not yet', nextRetryDelay: '50ms' });
  if (colour === 'parental')
    return { children: [{ apiVersion: API, kind: 'Thing', metadata: { name: `${metadata.name}-child` }, spec: { colour: 'red' } }] };
  if (colour === 'restless') return { requeueAfterSeconds: 1 };
  return { status: { painted: colour } };
}

export const definition = (kind: string, plural: string, executorType: string) => ({
  apiVersion: 'colonies.io/v1',
  kind: 'ResourceDefinition',
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    version: 'v1',
    names: { kind, plural },
    scope: 'Namespaced',
    schema: { type: 'object', properties: { colour: { type: 'string', default: 'red' }, size: { type: 'integer' } } },
    handler: { executorType, functionName: 'handle' },
  },
});

const idOf = (name: string, plural = 'things'): string => `${plural}.example.com/default/${name}`;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** One recorded history each; names are for ever, because the files are only ever added to. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  'create-change-rollback-delete': async ({ colony }) => {
    const things = colony.resources(API, 'Thing');
    await things.apply({ metadata: { name: 'life' }, spec: { size: 1 } });
    await things.waitFor('life', 'Ready');
    await things.setPath('life', 'spec.size', 2);
    await things.waitFor('life', 'Ready');
    await things.rollback('life');
    await things.waitFor('life', 'Ready');
    await things.delete('life');
    return idOf('life');
  },
  'invalid-signal-then-a-good-one': async ({ colony, client }) => {
    const things = colony.resources(API, 'Thing');
    await things.apply({ metadata: { name: 'signalled' }, spec: {} });
    const workflow = client.workflow.getHandle(idOf('signalled'));
    await workflow.signal('apply', { spec: { size: 'big' } });
    await workflow.signal('nonsense', 1);
    await things.waitFor('signalled', 'SpecAccepted', { status: 'False' });
    await workflow.signal('apply', { spec: { size: 3 } });
    await things.waitFor('signalled', 'Ready');
    return idOf('signalled');
  },
  'handler-fails-then-recovers': async ({ colony }) => {
    const things = colony.resources(API, 'Thing');
    await things.apply({ metadata: { name: 'failing' }, spec: { colour: 'broken' } });
    await things.waitFor('failing', 'Ready', { status: 'False' });
    await things.apply({ metadata: { name: 'failing' }, spec: { colour: 'green' } });
    await things.waitFor('failing', 'Ready');
    return idOf('failing');
  },
  'handler-forbids': async ({ colony }) => {
    const things = colony.resources(API, 'Thing');
    await things.apply({ metadata: { name: 'forbidden' }, spec: { colour: 'forbidden' } });
    await things.waitFor('forbidden', 'Ready', { status: 'False' });
    await things.delete('forbidden');
    return idOf('forbidden');
  },
  'handler-is-not-ready-for-a-while': async ({ colony }) => {
    const things = colony.resources(API, 'Thing');
    await things.apply({ metadata: { name: 'slow' }, spec: { colour: 'slow' } });
    await things.waitFor('slow', 'Ready', { timeoutMs: 30_000 });
    return idOf('slow');
  },
  'nobody-serves-the-queue-then-force': async ({ colony }) => {
    const lonely = colony.resources(API, 'Lonely');
    await lonely.apply({ metadata: { name: 'alone' }, spec: {} });
    await lonely.waitFor('alone', 'ExecutorUnavailable');
    await lonely.delete('alone', { force: true });
    return idOf('alone', 'lonelies');
  },
  'pause-and-resume': async ({ colony }) => {
    const things = colony.resources(API, 'Thing');
    await things.apply({ metadata: { name: 'paused' }, spec: {} });
    await things.pause('paused');
    await things.setPath('paused', 'spec.size', 5);
    await things.waitFor('paused', 'Paused').catch(() => {});
    await things.resume('paused');
    await things.waitFor('paused', 'Ready');
    return idOf('paused');
  },
  'outside-finalizer': async ({ colony, client }) => {
    const things = colony.resources(API, 'Thing');
    await things.apply({ metadata: { name: 'held', finalizers: ['audit.example.com/log'] }, spec: {} });
    await things.delete('held', { wait: false });
    await pause(500);
    await client.workflow.getHandle(idOf('held')).executeUpdate('apply', { args: [{ metadata: { finalizers: [] } }] });
    await client.workflow.getHandle(idOf('held')).result();
    return idOf('held');
  },
  'rolls-over-while-written': async ({ colony }) => {
    const things = colony.resources(API, 'Thing');
    for (let size = 0; size < 12; size++) await things.apply({ metadata: { name: 'rolling' }, spec: { size } });
    await things.waitFor('rolling', 'Ready');
    return idOf('rolling');
  },
  'looks-again-by-itself': async ({ colony }) => {
    const things = colony.resources(API, 'Thing');
    await things.apply({ metadata: { name: 'restless' }, spec: { colour: 'restless' } });
    await pause(2_500);
    await things.delete('restless');
    return idOf('restless');
  },
  'children-of-a-handler': async ({ colony }) => {
    const things = colony.resources(API, 'Thing');
    await things.apply({ metadata: { name: 'parent' }, spec: { colour: 'parental' } });
    await things.waitFor('parent', 'Ready');
    await things.delete('parent');
    return idOf('parent');
  },
  'cancelled-from-outside': async ({ colony, client }) => {
    const things = colony.resources(API, 'Thing');
    await things.apply({ metadata: { name: 'cancelled' }, spec: {} });
    await client.workflow.getHandle(idOf('cancelled')).cancel();
    await client.workflow.getHandle(idOf('cancelled')).result();
    return idOf('cancelled');
  },
  'signal-with-start': async ({ colony, client }) => {
    await client.workflow.signalWithStart('Thing', {
      workflowId: idOf('started'),
      taskQueue: 'colony',
      signal: 'apply',
      signalArgs: [{ spec: { size: 4 } }],
    });
    await pause(300);
    await colony.resources(API, 'Thing').waitFor('started', 'Ready');
    return idOf('started');
  },
  'claims-with-a-lease': async ({ colony }) => {
    const requests = colony.resources('com.redhat.ecosystem.sample/v1', 'RequestState');
    await requests.apply({ metadata: { name: 'claimed' }, spec: { 'request-uid': 'r', job: 'JOB1', state: 'REQUESTED' } });
    await requests.command('claimed', 'claim', { worker: 'w1', leaseSeconds: 1 });
    await requests.waitFor('claimed', 'ClaimExpired');
    await requests.command('claimed', 'claim', { worker: 'w2', leaseSeconds: 30 });
    await requests.command('claimed', 'move', { state: 'COMPLETED', worker: 'w2' });
    return 'requeststates.com.redhat.ecosystem.sample/default/claimed';
  },
  'definition-changed': async ({ colony }) => {
    const changed = definition('Thing', 'things', 'things');
    await colony.apply({
      ...changed,
      metadata: { ...changed.metadata, labels: { changed: 'yes' } },
      spec: { ...changed.spec, names: { ...changed.spec.names, shortNames: ['th'] } },
    });
    await colony.resources('colonies.io/v1', 'ResourceDefinition').waitFor('things.example.com', 'InstancesFit');
    return 'resourcedefinitions.colonies.io/-/things.example.com';
  },
};
