import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { HandlerRequest, HandlerResult } from '../../definitions/handled/contract.ts';
import type { ColonyClient } from '../../src/client/api.ts';
import type { HandlerContext } from '../../src/executor/index.ts';

/** What a scenario may use. */
export interface Scene {
  readonly colony: ColonyClient;
  readonly client: Client;
  /** Starts an executor for a queue that had none; runs until the recording ends. */
  readonly serve: (executorType: string) => Promise<void>;
  /** Ends the processes of an ExecutorDeployment, as hard as can be. */
  readonly kill: (name: string) => void;
}

/** A piece of a resource's life worth keeping; answers with the workflow it was played in. */
type Scenario = (scene: Scene) => Promise<string>;

const API = 'example.com/v1';
/** How often the handler was called for a resource, by name. */
const tries = new Map<string, number>();

/** The handler of all scenarios: behaves as the spec's colour says. */
export async function handle({ operation, metadata, spec }: HandlerRequest, { signal }: HandlerContext): Promise<HandlerResult> {
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
  if (colour === 'lengthy') await cancelled(signal);
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
const cancelled = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

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
  'rolls-over-again-and-again': async ({ colony }) => {
    const things = colony.resources(API, 'Thing');
    const asked = { requestId: 'asked-in-the-first-run' };
    const manifest = { metadata: { name: 'chained', labels: { tier: 'web' } }, spec: { size: -1 } };
    await things.apply(manifest, asked);
    for (let size = 0; size < 24; size++) {
      await things.apply({ metadata: { name: 'chained' }, spec: { size } });
      await things.waitFor('chained', 'Ready');
    }
    await things.apply(manifest, asked);
    await things.delete('chained');
    return idOf('chained');
  },
  'readmitted-by-its-definition': async ({ colony }) => {
    const kind = definition('Fitting', 'fittings', 'things');
    await colony.apply(kind);
    const fittings = colony.resources(API, 'Fitting');
    await fittings.apply({ metadata: { name: 'fits' }, spec: { colour: 'red', size: 5 } });
    await fittings.waitFor('fits', 'Ready');
    const properties = { colour: { type: 'string' }, size: { type: 'integer', maximum: 3 }, weight: { type: 'integer', default: 1 } };
    await colony.apply({ ...kind, spec: { ...kind.spec, schema: { type: 'object', properties } } });
    await fittings.waitFor('fits', 'SpecAccepted', { status: 'False' });
    await colony.apply({ ...kind, spec: { ...kind.spec, schema: { type: 'object', properties: { ...properties, size: {} } } } });
    await pause(1_500);
    await fittings.waitFor('fits', 'Ready');
    return idOf('fits', 'fittings');
  },
  'executor-comes-late': async ({ colony, serve }) => {
    await colony.apply(definition('Late', 'lates', 'latecomers'));
    const lates = colony.resources(API, 'Late');
    await lates.apply({ metadata: { name: 'patient' }, spec: {} });
    await lates.waitFor('patient', 'ExecutorUnavailable');
    await serve('latecomers');
    await lates.waitFor('patient', 'Ready');
    await lates.delete('patient');
    return idOf('patient', 'lates');
  },
  'newer-spec-interrupts-the-handler': async ({ colony }) => {
    const things = colony.resources(API, 'Thing');
    await things.apply({ metadata: { name: 'hasty' }, spec: { colour: 'lengthy' } });
    await pause(500);
    await things.apply({ metadata: { name: 'hasty' }, spec: { colour: 'blue' } });
    await things.waitFor('hasty', 'Ready');
    await things.reconcile('hasty');
    await things.waitFor('hasty', 'Ready');
    return idOf('hasty');
  },
  'conflicts-repeats-and-unknown-words': async ({ colony, client }) => {
    const things = colony.resources(API, 'Thing');
    const { resourceVersion } = await things.apply({ metadata: { name: 'crowded' }, spec: { size: 1 } }, { requestId: 'one' });
    await things.apply({ metadata: { name: 'crowded' }, spec: { size: 2 } }, { requestId: 'two' });
    await things.apply({ metadata: { name: 'crowded' }, spec: { size: 1 } }, { requestId: 'one' });
    const handle = client.workflow.getHandle(idOf('crowded'));
    const late = { metadata: { resourceVersion }, spec: { size: 3 } };
    await Promise.allSettled([
      handle.signal('apply', late),
      handle.executeUpdate('apply', { args: [late] }),
      handle.executeUpdate('apply', { args: [{ spec: { size: 4 } }] }),
      handle.executeUpdate('delete', { args: [{ uid: 'of-another' }] }),
      handle.executeUpdate('command', { args: [{ name: 'dance' }] }),
    ]);
    for (const name of ['nonsense', '__temporal_reserved', 'oversize', 'child']) await handle.signal(name);
    await things.waitFor('crowded', 'Ready');
    return idOf('crowded');
  },
  'words-that-cannot-be-read': async ({ colony, client }) => {
    const things = colony.resources(API, 'Thing');
    await things.apply({ metadata: { name: 'illegible' }, spec: {} });
    const payloads = [{ metadata: { encoding: Buffer.from('binary/unknown') }, data: Buffer.from('x') }];
    const execution = { namespace: client.options.namespace, workflowExecution: { workflowId: idOf('illegible') } };
    for (const signalName of ['apply', 'delete']) {
      await client.workflowService.signalWorkflowExecution({ ...execution, signalName, input: { payloads }, requestId: signalName });
    }
    await things.waitFor('illegible', 'SpecAccepted', { status: 'False' });
    return idOf('illegible');
  },
  'status-and-news-from-outside': async ({ colony, client }) => {
    const things = colony.resources(API, 'Thing');
    await things.apply({ metadata: { name: 'watched' }, spec: {} });
    await things.waitFor('watched', 'Ready');
    await things.updateStatus('watched', { temperature: 20 });
    const observed = { args: [{ about: 'weather', value: { rain: true } }] as [object] };
    await client.workflow.getHandle(idOf('watched')).executeUpdate('observed', observed);
    await things.apply({ metadata: { name: 'watched', labels: Object.fromEntries(longLabels) }, spec: {} });
    await things.waitFor('watched', 'LabelsIndexed', { status: 'False' });
    return idOf('watched');
  },
  'instances-scale-crash-roll-and-go': async ({ colony, kill }) => {
    const deployments = colony.resources('compute.colonies.io/v1', 'ExecutorDeployment');
    const metadata = { name: 'lively' };
    const spec = { runtime: 'local', replicas: 2, executorType: 'x', command: ['sleep', '1000'], terminationGracePeriodSeconds: 1 };
    await deployments.apply({ metadata, spec });
    await deployments.waitFor('lively', 'Ready');
    kill('lively');
    await pause(2_000);
    await deployments.waitFor('lively', 'Ready');
    await deployments.command('lively', 'scale', { replicas: 4 });
    await deployments.waitFor('lively', 'Ready');
    await deployments.apply({ metadata, spec: { ...spec, replicas: 3, command: ['sleep', '2000'] } });
    await deployments.waitFor('lively', 'Ready');
    const strategy = { progressDeadlineSeconds: 3, onFailure: 'Rollback' };
    await deployments.apply({ metadata, spec: { ...spec, replicas: 3, command: ['false'], strategy } });
    await deployments.waitFor('lively', 'Progressing', { status: 'False' });
    await deployments.delete('lively');
    return 'executordeployments.compute.colonies.io/default/lively';
  },
  'application-comes-rolls-and-goes': async ({ colony }) => {
    await playApplication(colony, 'composed');
    return 'applications.app.colonies.io/default/composed';
  },
  'a-child-tells-its-owner': async ({ colony }) => {
    await playApplication(colony, 'telling');
    return idOf('telling-second');
  },
  'run-makes-waits-is-steered-and-retires': async ({ colony }) => {
    const runs = colony.resources('automation.colonies.io/v1', 'WorkflowRun');
    const manifest = { apiVersion: API, kind: 'Thing', metadata: { name: 'made-by-run' }, spec: { colour: 'green' } };
    const nobody = { name: 'nobody', dependsOn: ['make'], functionSpec: { funcName: 'nothing', conditions: { executorType: 'nobody' } } };
    await runs.apply({
      metadata: { name: 'steered' },
      spec: {
        steps: [
          { name: 'make', resource: { manifest, outputs: { painted: 'status.painted' } } },
          nobody,
          { name: 'gate', suspend: { message: 'Go on?' } },
          { name: 'rest', dependsOn: ['gate', 'nobody'], suspend: { duration: '200ms' } },
        ],
        onExit: { name: 'bye', suspend: { duration: '100ms' } },
        ttlSecondsAfterFinished: 1,
      },
    });
    await runs.waitFor('steered', 'Suspended');
    await runs.command('steered', 'approve', { step: 'gate', values: { who: 'me' } });
    await pause(1_500);
    await runs.command('steered', 'skip', { step: 'nobody' });
    await runs.waitFor('steered', 'Completed');
    await pause(3_000);
    return 'workflowruns.automation.colonies.io/default/steered';
  },
  'schedule-starts-a-run-and-waits-for-it': async ({ colony, client }) => {
    const workflows = colony.resources('automation.colonies.io/v1', 'Workflow');
    const steps = [{ name: 'rest', suspend: { duration: '1s' } }];
    await workflows.apply({ metadata: { name: 'planned' }, spec: { schedule: '0 1 * * *', steps } });
    await workflows.waitFor('planned', 'Ready');
    await colony.schedule('workflow/planned').trigger();
    for (;;) {
      await pause(500);
      for await (const { workflowId, status } of client.workflow.list({ query: `WorkflowType = 'scheduledRun'` })) {
        if (status.name === 'COMPLETED') return workflowId;
      }
    }
  },
  'started-with-a-word-that-is-refused': async ({ client }) => {
    const workflowId = idOf('unborn');
    const handle = await client.workflow.start('Thing', { workflowId, taskQueue: 'colony', args: [{ spec: { size: 'large' } }] });
    await handle.result().catch(() => {});
    return workflowId;
  },
};

/** Two that depend on each other come up, the first changes and with it the second, and both go. */
async function playApplication(colony: ColonyClient, name: string): Promise<void> {
  const applications = colony.resources('app.colonies.io/v1', 'Application');
  const components = (colour: string) => [
    { name: 'first', kind: 'Thing', apiVersion: API, spec: { colour } },
    { name: 'second', kind: 'Thing', apiVersion: API, spec: { colour: '${components.first.status.painted}' } },
  ];
  for (const colour of ['red', 'blue']) {
    await applications.apply({ metadata: { name }, spec: { components: components(colour) } });
    await applications.waitFor(name, 'Ready');
  }
  await applications.delete(name, { propagation: 'Foreground' });
}

const longLabels = Array.from({ length: 40 }, (_, n) => [`label-${n}`, 'v'.repeat(60)]);
