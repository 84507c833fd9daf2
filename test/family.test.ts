import { type Client, ScheduleNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ColonyClient, Resources } from '../src/client/api.ts';
import { connect } from '../src/client/connect.ts';
import { type RunningExecutor, runExecutor } from '../src/executor/run.ts';
import { Collector } from '../src/node/collector/collector.ts';
import { createLog } from '../src/node/log.ts';
import { describeSchedule } from './support/describe-schedule.ts';
import { connectClient, leaseNamespace, startWorker, type TestWorker, temporalAddress } from './support/temporal.ts';

const SOON = { timeout: 60_000, interval: 50 };

let worker: TestWorker;
let temporal: Client;
let colony: ColonyClient;
let executor: RunningExecutor;
let machines: Resources;
let parts: Resources;
const ended = new AbortController();
let collecting: Promise<void>;

const definition = (kind: string, plural: string, handler: object | null) => ({
  apiVersion: 'colonies.io/v1',
  kind: 'ResourceDefinition',
  metadata: { name: `${plural}.example.com` },
  spec: { group: 'example.com', version: 'v1', names: { kind, plural }, scope: 'Namespaced', handler },
});

/** Answers with the parts that the spec names, each as large as the spec says. */
const assemble = async ({ spec }: { spec: unknown }) => {
  const { parts: names, size = 1 } = spec as { parts: readonly string[]; size?: number };
  return { children: names.map((name) => ({ apiVersion: 'example.com/v1', kind: 'Part', metadata: { name }, spec: { size } })) };
};

beforeAll(async () => {
  const namespace = leaseNamespace();
  worker = await startWorker(namespace, { config: { firstRetryMs: 100 } });
  const at = { address: temporalAddress(), temporalNamespace: namespace };
  temporal = await connectClient(namespace);
  colony = await connect(at);
  executor = await runExecutor({ executorType: 'assemblers', functions: { assemble } }, at);
  await colony.apply(definition('Part', 'parts', null));
  await colony.apply(definition('Machine', 'machines', { executorType: 'assemblers', functionName: 'assemble' }));
  machines = colony.resources('example.com/v1', 'Machine');
  parts = colony.resources('example.com/v1', 'Part');
  collecting = new Collector({ client: temporal, log: createLog('silent', 'collector'), sweepMs: 100, graceMs: 1_000 }).run(ended.signal);
});

afterAll(async () => {
  ended.abort();
  await collecting;
  executor.stop();
  await executor.done;
  await colony.close();
  await temporal.connection.close();
  await worker.stop();
});

const find = (name: string) => parts.get(name).catch(() => undefined);
const sizeOf = async (name: string): Promise<unknown> => (await find(name))?.spec.size;
const uidOf = async (name: string): Promise<string | undefined> => (await find(name))?.metadata.uid;
const partId = (name: string): string => `parts.example.com/default/${name}`;

async function build(name: string, names: readonly string[], spec: object = {}): Promise<void> {
  await machines.apply({ metadata: { name }, spec: { parts: names, ...spec } });
  await machines.waitFor(name, 'Ready');
}

describe('a family', () => {
  it.concurrent('has its children made, with an owner that the Temporal UI finds them by', async () => {
    await build('a', ['a-wheel', 'a-bolt']);
    const { metadata } = await machines.get('a');
    expect((await parts.get('a-bolt')).metadata.ownerReferences).toEqual([
      { apiVersion: 'example.com/v1', kind: 'Machine', name: 'a', uid: metadata.uid, controller: true, blockOwnerDeletion: true },
    ]);
    const found: string[] = [];
    const query = `ColonyOwner = 'Machine/a/${metadata.uid}' AND ExecutionStatus = 'Running'`;
    await expect
      .poll(async () => {
        found.length = 0;
        for await (const { workflowId } of temporal.workflow.list({ query })) found.push(workflowId);
        return found.sort();
      }, SOON)
      .toEqual([partId('a-bolt'), partId('a-wheel')]);
    await machines.delete('a');
  });

  it.concurrent('has a child brought back to what its owner wishes when somebody else changed it', async () => {
    await build('b', ['b-wheel'], { size: 2 });
    const before = await parts.get('b-wheel');
    await parts.apply({ metadata: { name: 'b-wheel' }, spec: { size: 99 } });
    await poll(async () => (await parts.get('b-wheel')).metadata.generation, 3);
    expect(await sizeOf('b-wheel')).toBe(2);
    expect(await uidOf('b-wheel')).toBe(before.metadata.uid);
    await machines.delete('b');
  });

  it.concurrent('has a child made anew when it was ended by hand', async () => {
    await build('c', ['c-wheel', 'c-bolt']);
    const before = await uidOf('c-wheel');
    await temporal.workflow.getHandle(partId('c-wheel')).terminate('by hand');
    await poll(async () => [(await uidOf('c-wheel')) !== before, await sizeOf('c-wheel')], [true, 1]);
    await machines.delete('c');
    expect([await uidOf('c-wheel'), await uidOf('c-bolt')]).toEqual([undefined, undefined]);
  });

  it.concurrent('goes when its owner was ended by hand', async () => {
    await build('d', ['d-wheel', 'd-bolt']);
    await temporal.workflow.getHandle('machines.example.com/default/d').terminate('by hand');
    await poll(async () => [await uidOf('d-wheel'), await uidOf('d-bolt')], [undefined, undefined]);
  });

  it.concurrent('has no schedule left when its Workflow was ended by hand, also none that never starts', async () => {
    const workflows = colony.resources('automation.colonies.io/v1', 'Workflow');
    const spec = { schedule: '0 3 1 1 *', steps: [{ name: 'wait', suspend: {} }] };
    const idOf = (name: string): string => `workflows.automation.colonies.io/default/${name}`;
    const ends = ['s-plain', 's-resting', 's-followed'];
    for (const name of [...ends, 's-living']) {
      await workflows.apply({ metadata: { name }, spec: { ...spec, suspend: name === 's-resting' } });
      await workflows.waitFor(name, 'Ready');
    }
    await Promise.all(ends.map((name) => temporal.workflow.getHandle(idOf(name)).terminate('by hand')));
    await workflows.apply({ metadata: { name: 's-followed' }, spec: { steps: spec.steps } });
    const isThere = (name: string): Promise<boolean> =>
      describeSchedule(temporal, idOf(name)).then(
        () => true,
        (error: unknown) => !(error instanceof ScheduleNotFoundError),
      );
    await poll(async () => [await isThere('s-plain'), await isThere('s-resting'), await isThere('s-followed')], [false, false, false]);
    expect(await isThere('s-living')).toBe(true);
    expect((await workflows.get('s-followed')).metadata.deletionTimestamp).toBeUndefined();
    for (const name of ['s-living', 's-followed']) await workflows.delete(name);
  });

  it.concurrent('has its schedule put back when somebody deleted that, also one that rests', async () => {
    const workflows = colony.resources('automation.colonies.io/v1', 'Workflow');
    const names = ['p-plain', 'p-resting'];
    for (const name of names) {
      const spec = { schedule: '0 3 1 1 *', suspend: name === 'p-resting', steps: [{ name: 'wait', suspend: {} }] };
      await workflows.apply({ metadata: { name }, spec });
      await workflows.waitFor(name, 'Ready');
      const id = `workflows.automation.colonies.io/default/${name}`;
      await temporal.schedule.getHandle(id).delete();
      const isPaused = (): Promise<boolean | undefined> =>
        describeSchedule(temporal, id).then(
          ({ state }) => state.paused,
          () => undefined,
        );
      await poll(isPaused, spec.suspend);
    }
    for (const name of names) await workflows.delete(name);
  });

  it.concurrent('has a run that was ended by hand counted as ended, and one whose history is gone', async () => {
    const workflows = colony.resources('automation.colonies.io/v1', 'Workflow');
    const flows = ['r-ended', 'r-erased'];
    for (const name of flows) {
      await workflows.apply({ metadata: { name }, spec: { steps: [{ name: 'wait', suspend: {} }] } });
      const run = await colony.run(`workflow/${name}`);
      await poll(async () => (await workflows.get(name)).status?.active, [run.name]);
      const handle = temporal.workflow.getHandle(`workflowruns.automation.colonies.io/default/${run.name}`);
      if (name === 'r-ended') await handle.terminate('by hand');
      else await erase(handle.workflowId);
    }
    for (const name of flows) {
      const shown = async () => {
        const { phase, active, history } = (await workflows.get(name)).status as {
          readonly phase?: string;
          readonly active?: readonly string[];
          readonly history?: readonly { readonly status: string; readonly endTime?: string }[];
        };
        return [phase, active, history?.map(({ status, endTime }) => [status, endTime !== undefined])];
      };
      await poll(shown, ['Terminated', [], [['Terminated', true]]]);
      await workflows.delete(name);
    }
  });

  it.concurrent('of an owner that was ended and made anew belongs to the new one', async () => {
    await build('e', ['e-wheel']);
    const before = await uidOf('e-wheel');
    await temporal.workflow.getHandle('machines.example.com/default/e').terminate('by hand');
    await machines.apply({ metadata: { name: 'e' }, spec: { parts: ['e-wheel'] } });
    const { uid } = (await machines.get('e')).metadata;
    await poll(async () => (await find('e-wheel'))?.metadata.ownerReferences[0]?.uid, uid);
    expect(await uidOf('e-wheel'), 'what the dead one had made went first').not.toBe(before);
    await machines.waitFor('e', 'Ready');
    await machines.delete('e');
  });

  it.concurrent('takes in a stranger only when the stranger agrees, and goes on by itself then', async () => {
    await parts.apply({ metadata: { name: 'f-wheel' }, spec: { size: 7 } });
    await machines.apply({ metadata: { name: 'f' }, spec: { parts: ['f-wheel', 'f-bolt'] } });
    const readiness = async () => (await machines.get('f')).status?.conditions?.find(({ type }) => type === 'Ready');
    await poll(async () => (await readiness())?.reason, 'ChildNotOwned');
    expect((await readiness())?.message).toContain('colony.io/adopt');
    expect(await sizeOf('f-wheel')).toBe(7);
    expect(await sizeOf('f-bolt'), 'the others are not held back').toBe(1);
    await parts.apply({ metadata: { name: 'f-wheel', annotations: { 'colony.io/adopt': 'Machine/f' } }, spec: { size: 7 } });
    await machines.waitFor('f', 'Ready');
    expect(await sizeOf('f-wheel')).toBe(1);
    await machines.delete('f');
    expect(await uidOf('f-wheel'), 'who agreed goes with its owner').toBeUndefined();
  });

  it.concurrent('waits for a kind that is not there yet, says which, and goes on by itself when it comes', async () => {
    const answer = (kind: string) => ({ children: [{ apiVersion: 'late.example.com/v1', kind, metadata: { name: 'g-late' } }] });
    const late = await runExecutor({ executorType: 'late', functions: { answer: async () => answer('Latecomer') } }, at());
    await colony.apply({
      ...definition('Waiter', 'waiters', { executorType: 'late', functionName: 'answer' }),
    });
    // A definition that has just come asks its instances to look at themselves again, which would be counted below.
    await colony.resources('colonies.io/v1', 'ResourceDefinition').waitFor('waiters.example.com', 'Ready');
    const waiters = colony.resources('example.com/v1', 'Waiter');
    await waiters.apply({ metadata: { name: 'g' }, spec: {} });
    const readiness = async () => (await waiters.get('g')).status?.conditions?.find(({ type }) => type === 'Ready');
    await poll(async () => (await readiness())?.reason, 'ChildKindUnknown');
    expect((await readiness())?.message).toContain('Latecomer');
    const events = await stillLength('waiters.example.com/default/g');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await historyLength('waiters.example.com/default/g'), 'waiting costs no events').toBe(events);
    await colony.apply({
      apiVersion: 'colonies.io/v1',
      kind: 'ResourceDefinition',
      metadata: { name: 'latecomers.late.example.com' },
      spec: {
        group: 'late.example.com',
        version: 'v1',
        names: { kind: 'Latecomer', plural: 'latecomers' },
        scope: 'Namespaced',
        handler: null,
      },
    });
    await waiters.waitFor('g', 'Ready');
    await waiters.delete('g');
    late.stop();
    await late.done;
  });

  it.concurrent('keeps what people noted on a child, and the line between the two cannot be cut by an apply', async () => {
    await build('h', ['h-wheel']);
    await parts.apply({ metadata: { name: 'h-wheel', annotations: { 'example.com/note': 'mine' } }, spec: { size: 5 } });
    await poll(() => sizeOf('h-wheel'), 1);
    const { annotations } = (await parts.get('h-wheel')).metadata;
    expect(annotations).toMatchObject({ 'example.com/note': 'mine', 'colony.io/owner': 'machines.example.com/default/h' });
    await machines.delete('h');
  });
});

/** As `temporal workflow delete` does. */
const erase = (workflowId: string) =>
  temporal.workflowService.deleteWorkflowExecution({ namespace: temporal.options.namespace, workflowExecution: { workflowId } });

const at = () => ({ address: temporalAddress(), temporalNamespace: temporal.options.namespace });

const historyLength = async (id: string): Promise<number> => (await temporal.workflow.getHandle(id).describe()).historyLength;

/** The length of a history that nothing was written to for a moment. */
async function stillLength(id: string): Promise<number> {
  for (let before = -1; ; ) {
    const now = await historyLength(id);
    if (now === before) return now;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** expect.poll cannot be used in concurrent tests. */
async function poll<T>(look: () => Promise<T>, wanted: T): Promise<void> {
  const until = Date.now() + SOON.timeout;
  for (;;) {
    const found = await look();
    if (JSON.stringify(found) === JSON.stringify(wanted)) return;
    if (Date.now() > until) throw new Error(`found ${JSON.stringify(found)}, waited for ${JSON.stringify(wanted)}`);
    await new Promise((resolve) => setTimeout(resolve, SOON.interval));
  }
}
