import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cloneRoot } from '../../src/config.ts';
import { Stage } from '../support/instances.ts';
import { Programs } from '../support/program.ts';

let stage: Stage;
let programs: Programs;

beforeAll(async () => {
  stage = await Stage.start({ config: { allowLocal: true } });
  programs = new Programs(stage.namespace);
});

afterAll(async () => {
  await programs?.endAll();
  await stage?.end();
});

const cli = join(cloneRoot(), 'dist', 'cli.mjs');
const executor = join(cloneRoot(), 'examples', '01-widget', 'executor.ts');

it('an executor counts as ready once it polls its task queue, and a poller that is somebody else does not help', async () => {
  const env = { TEMPORAL_ADDRESS: stage.address, TEMPORAL_NAMESPACE: stage.namespace, WIDGETS_DIR: stage.home };
  const stranger = programs.colony(['executor', executor], { WIDGETS_DIR: stage.home });
  await stranger.says(/ready|takes/);
  const readinessProbe = { taskQueue: { name: 'widget-maker' }, periodSeconds: 1 };
  const one = await stage.deployment({ runtime: 'local', image: undefined, command: ['sleep', '3600'], readinessProbe });
  const message = async () => (await one.status()).instances?.[0]?.message;
  await expect.poll(message, { timeout: 30_000 }).toMatch(/does not poll task queue widget-maker; another one does/);
  expect((await one.status()).readyReplicas).toBe(0);
  await one.change({ command: [process.execPath, cli, 'executor', executor], env, strategy: { type: 'Recreate' } });
  const { readyReplicas } = await one.ready();
  expect(readyReplicas).toBe(1);
  await stage.deployments.delete(one.name);
});
