import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDockerRuntime } from '../../activities/runtimes/docker/index.ts';
import { strictPolicy } from '../../activities/runtimes/policy.ts';
import { Leftovers } from '../../src/node/observer/leftovers.ts';
import { Supervised } from '../faults/processes.ts';
import { loseAnswer } from '../support/docker/faults.ts';
import { SocketProxy } from '../support/docker/socket-proxy.ts';
import { eventually, Stage, testEngine } from '../support/instances.ts';
import { Errand, startErrands } from './errands.ts';

let stage: Stage;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'colony-errands-'));
  stage = await Stage.start({ config: { allowLocal: true } });
  await startErrands(stage);
});

afterAll(async () => {
  await stage?.end();
  rmSync(folder, { recursive: true, force: true });
});

const sh = (script: string): { readonly command: readonly string[] } => ({ command: ['sh', '-c', script] });

/** Runtimes that run steps; a process leaves its traces in a file. */
const runtimes = [{ runtime: 'docker' as const }, { runtime: 'local' as const }];

describe.concurrent('a run step', () => {
  it.each(runtimes)('on $runtime runs to its end and answers with what it said', async ({ runtime }) => {
    const step = await Errand.start(stage, { runtime, env: { GREETING: 'hello' }, ...sh('echo $GREETING; echo aside >&2') });
    expect(await step.ends()).toEqual([{ exitCode: 0, output: 'hello' }]);
  });

  it.each(runtimes)('on $runtime that fails tells its exit code and its last words; the next attempt runs anew', async ({ runtime }) => {
    const step = await Errand.start(stage, { runtime, ...sh('echo works; echo broken >&2; exit 3') }, { attempts: 2 });
    const outcomes = await step.ends();
    expect(outcomes.map(({ reason }) => reason)).toEqual(['ExitCode', 'ExitCode']);
    expect(outcomes[0]?.message).toMatch(/^exit code 3: broken$/);
    if (runtime === 'docker') expect([await step.count('start'), (await step.containers()).length]).toEqual([2, 1]);
  });

  it('whose answer got lost is found by its next attempt, and runs anew once that was heard', async () => {
    const step = await Errand.start(stage, sh('cat /proc/sys/kernel/random/uuid'), {
      afterwards: [{ attempt: 2 }, { attempt: 3, heard: 2 }],
    });
    const [first, found, anew] = await step.ends();
    expect(found).toEqual(first);
    expect(anew?.output).not.toBe(first?.output);
    expect([await step.count('start'), (await step.containers()).length]).toEqual([2, 1]);
  });

  it.each(runtimes)('on $runtime is ended by a cancel, with its grace, and nothing is left', async ({ runtime }) => {
    const mark = join(folder, `cancel-${runtime}`);
    const script =
      runtime === 'docker'
        ? 'trap "exit 0" TERM; echo up; while :; do sleep 0.1; done'
        : `trap "echo bye >> ${mark}; exit 0" TERM; echo up > ${mark}; while :; do sleep 0.1; done`;
    const step = await Errand.start(stage, { runtime, ...sh(script) });
    if (runtime === 'docker') await step.running();
    else await eventually('it runs', async () => read(mark));
    await step.handle.cancel();
    const [outcome] = (await step.handle.result()) as { reason?: string }[];
    expect(outcome?.reason).toBe('CancelledFailure');
    expect(await step.containers()).toEqual([]);
    if (runtime === 'local') expect(read(mark)).toBe('up\nbye\n');
  });

  it('ends when its time is over', async () => {
    const step = await Errand.start(stage, sh('sleep 60'), { limitMs: 2_000 });
    expect(await step.ends()).toMatchObject([{ reason: 'START_TO_CLOSE' }]);
    await eventually('nothing is left', async () => ((await step.containers()).length === 0 ? true : undefined));
  });

  it.each([
    ['Blocked', { privileged: true }],
    ['ImageMissing', { image: 'colony-test:absent', pullPolicy: 'Never' as const }],
    ['CommandNotFound', { command: ['no-such-command'] }],
    ['RuntimeUnavailable', { runtime: 'kubernetes' as const }],
  ])('that cannot begin fails as %s and leaves nothing running', async (reason, template) => {
    const step = await Errand.start(stage, template);
    expect(await step.ends()).toMatchObject([{ reason }]);
    expect((await step.containers()).filter(({ State }) => State === 'running')).toEqual([]);
  });

  it('that was killed from outside says by which signal', async () => {
    const step = await Errand.start(stage, sh('sleep 60'));
    await stage.engine.kill((await step.running()).Id);
    const [outcome] = await step.ends();
    expect(outcome).toMatchObject({ reason: 'ExitCode', message: 'ended by SIGKILL' });
    expect(await step.count('start')).toBe(1);
  });

  it('that somebody removed has failed and is not started again', async () => {
    const step = await Errand.start(stage, sh('sleep 60'));
    await stage.engine.remove((await step.running()).Id);
    const [outcome] = await step.ends();
    // Whoever looks in the moment between its end and its removal has seen how it ended.
    expect(['InstanceGone', 'ExitCode']).toContain(outcome?.reason);
    expect(await step.count('start')).toBe(1);
  });

  it('keeps only the end of what it said', async () => {
    const step = await Errand.start(stage, sh('i=0; while [ $i -lt 3000 ]; do echo line $i äöü; i=$((i+1)); done'));
    const [outcome] = await step.ends();
    expect(Buffer.byteLength(outcome?.output ?? '')).toBeLessThanOrEqual(16 * 1024);
    expect(outcome?.output).toMatch(/line 2999 äöü$/);
    expect(outcome?.output).not.toContain('\ufffd');
  });
});

describe.concurrent('kill -9 of the agent', () => {
  it.each([
    { when: 'before it began', point: 'runInstance:before:1' },
    { when: 'after its end, before the answer', point: 'runInstance:after:1' },
  ])(
    '$when: the step runs once and its end is told once',
    async ({ point }) => {
      const { agent, node } = await ownAgent(point);
      const step = await Errand.start(stage, sh('echo done'), { node });
      const outcomes = await step.ends();
      expect(outcomes.at(-1)).toEqual({ exitCode: 0, output: 'done' });
      expect(outcomes.slice(0, -1).map(({ reason }) => reason)).toEqual(['HEARTBEAT']);
      expect(await step.count('start')).toBe(1);
      expect(agent.deaths).toBe(1);
    },
    90_000,
  );

  it('in the midst of it: the step goes on and is found again', async () => {
    const { agent, node } = await ownAgent();
    const mark = join(folder, 'midst');
    const container = await Errand.start(stage, sh('echo one; sleep 8; echo two'), { node });
    const local = await Errand.start(
      stage,
      { runtime: 'local', ...sh(`echo one | tee -a ${mark}; sleep 8; echo two | tee -a ${mark}`) },
      { node },
    );
    await container.running();
    await eventually('the process runs', async () => read(mark));
    agent.kill();
    expect((await container.ends()).at(-1)).toEqual({ exitCode: 0, output: 'one\ntwo' });
    expect((await local.ends()).at(-1)).toEqual({ exitCode: 0, output: 'one\ntwo' });
    expect(await container.count('start')).toBe(1);
    expect(read(mark)).toBe('one\ntwo\n');
    expect(agent.deaths).toBe(1);
  }, 90_000);

  it('an agent that is asked to end leaves the step running', async () => {
    const { agent, node } = await ownAgent();
    const step = await Errand.start(stage, sh('echo one; sleep 8; echo two'), { node });
    await step.running();
    agent.kill('SIGTERM');
    expect((await step.ends()).at(-1)).toEqual({ exitCode: 0, output: 'one\ntwo' });
    expect(await step.count('start')).toBe(1);
  }, 90_000);
});

describe.concurrent('an engine on a bad day', () => {
  const CREATE = { method: 'POST', path: /^\/containers\/create/ };
  const START = { method: 'POST', path: /^\/containers\/[^/]+\/start/ };
  const LOGS = { method: 'GET', path: /^\/containers\/[^/]+\/logs/ };

  it.each([
    { what: 'the answer of the create', faults: [CREATE] },
    { what: 'the answer of the start', faults: [START] },
    { what: 'the answers of both, and its words', faults: [CREATE, START, LOGS] },
  ])('loses $what: the step runs once', async ({ faults }) => {
    const { proxy, node } = await proxiedNode();
    const injected = faults.map((where) => proxy.inject(loseAnswer, where));
    const step = await Errand.start(stage, sh('echo done'), { node });
    expect(await step.ends()).toEqual([{ exitCode: 0, output: 'done' }]);
    expect(injected.map(({ strikes }) => strikes)).toEqual(faults.map(() => 1));
    expect([await step.count('create'), await step.count('start')]).toEqual([1, 1]);
  });

  it('is away before and during the step: nothing is done twice', async () => {
    const { proxy, node } = await proxiedNode();
    await proxy.close();
    const step = await Errand.start(stage, sh('echo one; sleep 3; echo two'), { node });
    await eventually('somebody waits for it', async () => {
      const [pending] = (await step.handle.describe()).raw.pendingActivities ?? [];
      return pending?.heartbeatDetails?.payloads?.some(({ data }) => Buffer.from(data ?? []).includes('waits for runtime')) || undefined;
    });
    await proxy.open();
    await step.running();
    await proxy.close();
    await eventually('it has ended unseen', async () => (await step.containers()).find(({ State }) => State === 'exited'));
    await proxy.open();
    expect(await step.ends()).toEqual([{ exitCode: 0, output: 'one\ntwo' }]);
    expect(await step.count('start')).toBe(1);
  });
});

/** A node whose agent reaches the engine through a proxy of its own. */
async function proxiedNode(): Promise<{ readonly proxy: SocketProxy; readonly node: string }> {
  const proxy = await SocketProxy.start(testEngine());
  const node = `${stage.node}-${++nodes}`;
  await stage.agent({ node, through: proxy.socket });
  stage.onEnd(() => proxy.end());
  return { proxy, node };
}

it.concurrent('what a step has run stays as long as its run goes on, and goes when that is finished or gone', async () => {
  const sweeper = new AbortController();
  const docker = new Docker({ socketPath: stage.engine.socket });
  const runtime = createDockerRuntime({ docker, node: stage.node, cluster: stage.cluster, policy: strictPolicy });
  const leftovers = new Leftovers({
    client: stage.client,
    runtimes: [runtime],
    log: pino({ level: 'silent' }),
    sweepMs: 200,
    graceMs: 1_000,
  });
  const [finished, going, gone] = await Promise.all([0, 1, 2].map(() => Errand.start(stage, sh('echo done'))));
  if (!finished || !going || !gone) throw new Error('not started');
  const hasEnded = (step: Errand) =>
    eventually('it has ended', async () => (await step.containers()).find(({ State }) => State === 'exited'));
  await Promise.all([finished, going, gone].map(hasEnded));
  const sweeping = leftovers.run(sweeper.signal);
  await finished.handle.signal('finish');
  await gone.handle.terminate();
  for (const step of [finished, gone])
    await eventually('it is removed', async () => ((await step.containers()).length === 0 ? true : undefined));
  expect(await going.containers()).toHaveLength(1);
  sweeper.abort();
  await sweeping;
});

/** An agent of a node of its own, as a process that is started again when it ends. */
let nodes = 0;

async function ownAgent(point?: string): Promise<{ readonly agent: Supervised; readonly node: string }> {
  const node = `${stage.node}-${++nodes}`;
  const env = { ...stage.env, COLONY_NODE: node, COLONY_HOME: join(stage.home, node) };
  const agent = new Supervised('dist/worker.mjs', env, ['--role', 'node']);
  stage.onEnd(() => agent.stop());
  await agent.start(point ? { COLONY_FAILPOINT: point } : {});
  return { agent, node };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
