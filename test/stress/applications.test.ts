import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ColonyClient } from '../../src/client/api.ts';
import { connect } from '../../src/client/connect.ts';
import { Stage } from '../support/instances.ts';

const APPLICATIONS = 200;
/** So many of them have a container, too. */
const WITH_CONTAINER = 20;
const AT_ONCE = 8;
const PATIENCE_MS = 240_000;

let stage: Stage;
let colony: ColonyClient;

beforeAll(async () => {
  stage = await Stage.start();
  // Patient: so many at once may be more than the machine does in ten seconds.
  colony = await connect({ address: stage.address, temporalNamespace: stage.namespace, timeoutMs: PATIENCE_MS });
  stage.onEnd(() => colony.close());
  await colony.apply({
    apiVersion: 'colonies.io/v1',
    kind: 'ResourceDefinition',
    metadata: { name: 'notes.many.example.com' },
    spec: { group: 'many.example.com', version: 'v1', names: { kind: 'Note', plural: 'notes' }, scope: 'Namespaced', handler: null },
  });
});

afterAll(() => stage.end());

const names = Array.from({ length: APPLICATIONS }, (_, index) => `app-${index}`);

function application(name: string, index: number) {
  const note = { name: 'note', kind: 'Note', spec: { text: name } };
  const flow = {
    name: 'flow',
    kind: 'Workflow',
    dependsOn: ['note'],
    spec: {
      schedule: '0 1 * * *',
      steps: [{ name: 'one', functionSpec: { funcName: 'nothing', conditions: { executorType: 'nobody' } } }],
    },
  };
  const image = 'colony-test:v1';
  const container = {
    name: 'box',
    kind: 'ExecutorDeployment',
    dependsOn: ['flow'],
    spec: { runtime: 'docker', executorType: 'box', image, replicas: 1, terminationGracePeriodSeconds: 1 },
  };
  return {
    apiVersion: 'app.colonies.io/v1',
    kind: 'Application',
    metadata: { name, namespace: 'default' },
    spec: { components: [note, flow, ...(index < WITH_CONTAINER ? [container] : [])] },
  };
}

/** Everything that lives in this installation, as Temporal and the engine themselves say it. */
async function living() {
  const workflows: string[] = [];
  for await (const { workflowId } of stage.client.workflow.list({ query: `ExecutionStatus = 'Running'` })) {
    if (!workflowId.startsWith('temporal-sys-scheduler:')) workflows.push(workflowId);
  }
  const schedules: string[] = [];
  for await (const { scheduleId } of stage.client.schedule.list()) schedules.push(scheduleId);
  const containers = (await stage.engine.list(`colony.cluster=${stage.cluster}`)).filter(({ Labels }) => Labels['colony.slot'] !== 'first');
  return { workflows, schedules, containers: containers.map(({ Names }) => Names[0]) };
}

async function inTurns(work: (name: string, index: number) => Promise<unknown>): Promise<void> {
  const left = names.map((name, index) => [name, index] as const).reverse();
  const one = async (): Promise<void> => {
    for (let next = left.pop(); next; next = left.pop()) await work(...next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

it(
  `${APPLICATIONS} applications come up and go, and leave no workflow, container or schedule behind`,
  async () => {
    const applications = colony.resources('app.colonies.io/v1', 'Application');
    await inTurns((name, index) => colony.apply(application(name, index)));
    await inTurns((name) => applications.waitFor(name, 'Ready', { timeoutMs: PATIENCE_MS }));
    const there = await living();
    expect(there.workflows.filter((id) => !id.startsWith('resourcedefinitions.'))).toHaveLength(3 * APPLICATIONS + WITH_CONTAINER);
    expect(there.containers).toHaveLength(WITH_CONTAINER);
    await inTurns((name) => applications.delete(name, { propagation: 'Foreground', timeoutMs: PATIENCE_MS }));
    const left = await settled();
    expect(left).toEqual({ workflows: ['resourcedefinitions.colonies.io/-/notes.many.example.com'], schedules: [], containers: [] });
  },
  2 * PATIENCE_MS,
);

/** The index of Temporal is a moment late. */
async function settled() {
  const until = Date.now() + 10_000;
  for (;;) {
    const left = await living();
    if ((left.workflows.length === 1 && left.schedules.length === 0) || Date.now() > until) return left;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
