import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endProcess, isRunning, type ProcessIdentity } from '../activities/runtimes/local/process-identity.ts';
import { cloneRoot } from '../src/config.ts';
import { freePort } from '../src/embedded/ports.ts';
import { type ProcessName, readRun } from '../src/run-file.ts';

const PATIENCE = { timeout: 20_000, interval: 50 };

let home: string;
let port: number;
let env: NodeJS.ProcessEnv;
const seen = new Map<number, ProcessIdentity>();

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'colony-up-'));
  port = await freePort();
  const { TEMPORAL_ADDRESS: _, ...rest } = process.env;
  env = {
    ...rest,
    COLONY_HOME: home,
    COLONY_TEMPORAL_PORT: String(port),
    COLONY_UI_PORT: String(await freePort()),
    COLONY_NODE: 'test-node',
  };
});

afterEach(async () => {
  note();
  await Promise.all([...seen.values()].map((identity) => endProcess(identity, 0)));
  seen.clear();
  rmSync(home, { recursive: true, force: true });
});

/** `colony up` as a person starts it. */
class Up {
  said = '';
  readonly child: ChildProcess;
  readonly exit: Promise<number | null>;

  constructor() {
    this.child = spawn(process.execPath, [join(cloneRoot(), 'bin', 'colony.cjs'), 'up'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout, this.child.stderr]) stream?.on('data', (chunk) => (this.said += chunk));
    this.exit = new Promise((resolve) => this.child.once('close', resolve));
  }

  async ready(): Promise<this> {
    await expect.poll(() => this.said, PATIENCE).toContain('colony is up');
    note();
    return this;
  }
}

/** Remembers every process that ever stood in run.json, for the end of the test. */
function note(): Partial<Record<ProcessName, ProcessIdentity>> {
  const pids = readRun(home)?.pids ?? {};
  for (const identity of Object.values(pids)) seen.set(identity.pid, identity);
  return pids;
}

const of = (name: ProcessName): ProcessIdentity => note()[name]!;
const kill = (name: ProcessName): void => void process.kill(of(name).pid, 'SIGKILL');

async function client(): Promise<Client> {
  return new Client({ connection: await Connection.connect({ address: `127.0.0.1:${port}` }) });
}

describe('colony up', () => {
  it('runs once per home, starts again what dies, and ends all of it on SIGTERM', async () => {
    const up = await new Up().ready();
    expect(readRun(home)).toMatchObject({ address: `127.0.0.1:${port}`, namespace: 'default', ui: expect.stringContaining('http://') });

    const second = new Up();
    expect(await second.exit).toBe(1);
    expect(second.said).toContain('already running');

    const temporal = await client();
    await temporal.workflow.start('Nothing', { workflowId: 'kept', taskQueue: 'nobody' });
    for (const name of ['worker', 'temporal'] as const) {
      const before = of(name);
      kill(name);
      await expect.poll(() => note()[name]?.pid ?? before.pid, PATIENCE).not.toBe(before.pid);
    }
    await expect.poll(() => pollers(temporal), PATIENCE).toBeGreaterThan(0);
    expect((await temporal.workflow.getHandle('kept').describe()).status.name).toBe('RUNNING');
    await temporal.connection.close();

    const children = Object.values(note());
    up.child.kill('SIGTERM');
    expect(await up.exit).toBe(0);
    expect(children.filter(isRunning)).toEqual([]);
    expect(readRun(home)).toMatchObject({ address: `127.0.0.1:${port}`, pids: {} });
  });

  it('goes on after kill -9: nothing stays for ever, and the next start has the same address and the same workflows', async () => {
    await new Up().ready();
    const temporal = await client();
    await temporal.workflow.start('Nothing', { workflowId: 'kept', taskQueue: 'nobody' });
    const [worker, node, server] = [of('worker'), of('node'), of('temporal')];
    kill('up');
    await expect.poll(() => [worker, node].some(isRunning), PATIENCE).toBe(false);

    const next = await new Up().ready();
    expect(isRunning(server)).toBe(false);
    expect(readRun(home)?.address).toBe(`127.0.0.1:${port}`);
    expect((await temporal.workflow.getHandle('kept').describe()).status.name).toBe('RUNNING');
    await temporal.connection.close();
    next.child.kill('SIGINT');
    expect(await next.exit).toBe(0);
  });

  it('starts on a home whose very first start was killed half-way, and on another port when its own is taken', async () => {
    mkdirSync(join(home, '.temporal-draft-killed'));
    writeFileSync(join(home, '.temporal-draft-killed', 'temporal.db'), 'half a database');
    const holder = createServer().listen(port, '127.0.0.1');
    const up = await new Up().ready();
    expect(up.said).toContain(`Port ${port} is taken`);
    expect(readRun(home)?.address).not.toBe(`127.0.0.1:${port}`);
    up.child.kill('SIGTERM');
    expect(await up.exit).toBe(0);
    holder.close();
  });

  it('says that the Temporal of the environment does not answer, and waits for it until Ctrl-C', async () => {
    env = { ...env, TEMPORAL_ADDRESS: `127.0.0.1:${port}` };
    const up = new Up();
    await expect.poll(() => up.said, PATIENCE).toContain(`Temporal does not answer at 127.0.0.1:${port} (from TEMPORAL_ADDRESS)`);
    note();
    up.child.kill('SIGINT');
    expect(await up.exit).toBe(0);
  });

  it('refuses an environment it cannot use, in one sentence', async () => {
    env = { ...env, TEMPORAL_ADDRESS: 'nowhere' };
    const up = new Up();
    expect(await up.exit).not.toBe(0);
    expect(up.said).toMatch(/TEMPORAL_ADDRESS is "nowhere"/);
    expect(up.said).not.toMatch(/\n\s+at /);
  });
});

async function pollers(temporal: Client): Promise<number> {
  const answer = await temporal.workflowService
    .describeTaskQueue({ namespace: 'default', taskQueue: { name: 'colony' }, taskQueueType: 1 })
    .catch(() => undefined);
  return answer?.pollers?.length ?? 0;
}
