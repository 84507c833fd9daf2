import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { atOnce, eventually, LocalStage, permissive } from '../../../test/support/local/stage.ts';
import { processTable, variableOf } from './process-table.ts';

const ROUNDS = 25;
const SLOTS = [0, 1, 2];

let stage: LocalStage;
beforeEach(() => {
  stage = new LocalStage();
});
afterEach(() => stage.clear());

/** An agent of its own that starts, restarts and removes without end. */
const AGENT = `
import { createLocalRuntime } from ${JSON.stringify(join(import.meta.dirname, 'local-runtime.ts'))};
const { options, owner, revision, slots } = JSON.parse(process.argv[2]);
const runtime = createLocalRuntime(options);
const stop = { signal: 'SIGTERM', graceSeconds: 1 };
const work = async (slot) => {
  await runtime.ensure(owner, revision, slot);
  const own = (await runtime.list(owner.uid)).find((each) => each.slot === slot);
  const dice = Math.random();
  if (dice < 0.4) await runtime.restart(owner.uid, own.id, stop);
  else if (dice < 0.8) await runtime.remove(owner.uid, own.id, stop);
};
process.stdout.write('begun');
for (;;) await Promise.all(slots.map(work));
`;

/** Commands of the owner's instances, wherever they are: each is its own shell, below a shim. */
const commandsAlive = (uid: string): readonly string[] =>
  processTable()
    .filter(({ pid }) => variableOf(pid, 'TEST_UID') === uid)
    .flatMap(({ pid, session }) => (pid === session ? [] : [variableOf(pid, 'COLONY_SLOT') ?? '']))
    .sort();

it('has one process per slot after agents were killed at any moment, and none after removal', async () => {
  const file = join(stage.folder, 'agent.mjs');
  await build({
    stdin: { contents: AGENT, resolveDir: '/' },
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  const { owner } = stage;
  const revision = stage.revision(['sleep', '100'], { env: { TEST_UID: owner.uid } });
  const options = { folder: stage.folder, node: 'node-1', cluster: 'cluster-1', policy: permissive };
  const order = JSON.stringify({ options, owner, revision, slots: SLOTS });
  for (let round = 0; round < ROUNDS; round++) {
    const agent = spawn(process.execPath, [file, order], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(agent.stdout, 'data');
    await pause(Math.random() * 150);
    const end = once(agent, 'exit');
    agent.kill('SIGKILL');
    expect(await end).toEqual([null, 'SIGKILL']);
  }
  await Promise.all(SLOTS.map((slot) => stage.runtime.ensure(owner, revision, slot)));
  await eventually(() => (commandsAlive(owner.uid).join() === SLOTS.join() ? true : undefined));
  for (const { id } of await stage.runtime.list(owner.uid)) await stage.runtime.remove(owner.uid, id, atOnce);
  expect(await stage.runtime.list(owner.uid)).toEqual([]);
  expect(commandsAlive(owner.uid)).toEqual([]);
}, 60_000);
