import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Resources } from '../../src/client/api.ts';
import { eventually, Stage } from '../support/instances.ts';

let stage: Stage;
let runs: Resources;
let server: Server;
let at: string;

beforeAll(async () => {
  server = createServer((_, response) => response.end('x'));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  stage = await Stage.start({ config: { rolloverEvents: 50 } });
  runs = stage.colony.resources('automation.colonies.io/v1', 'WorkflowRun');
});

afterAll(async () => {
  server?.close();
  await stage?.end();
});

/** Steps that write history, one after the other. */
const chain = (length: number) =>
  Array.from({ length }, (_, index) => ({
    name: `q${index}`,
    http: { url: at },
    ...(index > 0 ? { dependsOn: [`q${index - 1}`] } : {}),
  }));

it('a run whose history has grown long hands over to its next without starting anything twice', async () => {
  const quick = chain(30);
  const long = { name: 'long', run: { image: 'colony-test:v1', command: 'echo one; sleep 12; echo two' } };
  await runs.apply({ metadata: { name: 'long' }, spec: { steps: [long, ...quick] } });
  const { metadata, status } = await eventually(
    'it is finished',
    async () => {
      const run = await runs.get('long');
      return ['Succeeded', 'Failed'].includes(run.status?.phase ?? '') ? run : undefined;
    },
    90_000,
  );
  expect(status?.steps).toMatchObject({ long: { phase: 'Succeeded', outputs: { output: 'one\ntwo' } }, q29: { phase: 'Succeeded' } });
  const { runId } = await stage.client.workflow.getHandle('workflowruns.automation.colonies.io/default/long').describe();
  expect(runId, 'it has really handed over').not.toBe(metadata.uid);
  await stage.recorder.caughtUp();
  const actions = stage.recorder.events.filter(({ attributes }) => attributes['colony.uid'] === metadata.uid).map(({ action }) => action);
  expect(actions.filter((action) => ['create', 'start', 'kill', 'die'].includes(action))).toEqual(['create', 'start', 'die']);
}, 120_000);

it('a cancel of a run that is about to hand over stops what it has started', async () => {
  const stay = { name: 'stay', run: { image: 'colony-test:v1', command: ['stay'] } };
  await runs.apply({ metadata: { name: 'full' }, spec: { steps: [stay, ...chain(6)] } });
  const { uid } = (await runs.get('full')).metadata;
  const containers = () => stage.engine.list(`colony.uid=${uid}`);
  await eventually('it is in the midst of it', async () => {
    const { progress } = ((await runs.get('full')).status ?? {}) as { readonly progress?: string };
    return progress === '6/7' && (await containers()).some(({ State }) => State === 'running') ? true : undefined;
  });
  const { historyLength, runId } = await stage.client.workflow.getHandle('workflowruns.automation.colonies.io/default/full').describe();
  expect(historyLength).toBeGreaterThanOrEqual(50);
  expect(runId).toBe(uid);
  await runs.command('full', 'cancel', {});
  await eventually('nothing is left', async () => ((await containers()).length === 0 ? true : undefined));
  await eventually('it says so', async () => (await runs.get('full')).status?.phase === 'Cancelled' || undefined);
});
