import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, Stage } from '../support/instances.ts';
import { Programs } from '../support/program.ts';

const MARK = randomUUID();

let stage: Stage;
let programs: Programs;

beforeAll(async () => {
  stage = await Stage.start({ inProcess: 'worker', config: { allowLocal: true } });
  programs = new Programs(stage.namespace);
});

afterAll(async () => {
  for (const pid of processes()) process.kill(pid, 'SIGKILL');
  await programs?.endAll();
  await stage?.end();
});

/** Processes of the deployment itself, told by what only their environment has. */
function processes(): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => readIfThere(`/proc/${pid}/environ`).split('\0').includes(`MARK=${MARK}`))
    .filter((pid) => readIfThere(`/proc/${pid}/cmdline`).startsWith('sleep\0'))
    .map(Number);
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

const count = (wanted: number) => eventually(`${wanted} processes`, async () => (processes().length === wanted ? processes() : undefined));

it('plain processes start, come back, outlive their agent, follow the wished number, and leave nothing', async () => {
  const startAgent = () => programs.node({ ...stage.env, COLONY_LOG_LEVEL: 'info' });
  const agent = await startAgent();
  const one = await stage.deployment({ runtime: 'local', image: undefined, replicas: 2, command: ['sleep', '3600'], env: { MARK } });
  await one.ready();
  const first = await count(2);

  process.kill(first[0] ?? 0, 'SIGKILL');
  await eventually('another one is there', async () =>
    processes().length === 2 && !processes().includes(first[0] ?? 0) ? true : undefined,
  );
  await one.ready();
  const healed = await count(2);
  expect(healed).toContain(first[1]);

  await agent.end('SIGKILL');
  expect(processes(), 'nobody ends with the agent').toEqual(healed);
  process.kill(healed[0] ?? 0, 'SIGKILL');
  const next = await startAgent();
  await eventually('another one is there', async () =>
    processes().length === 2 && !processes().includes(healed[0] ?? 0) ? true : undefined,
  );
  await one.ready();
  expect(await count(2)).toContain(healed[1]);

  await one.change({ replicas: 3 });
  await one.ready();
  await count(3);
  await one.change({ replicas: 1 });
  await one.ready();
  await count(1);
  await stage.deployments.delete(one.name, { timeoutMs: 90_000 });
  expect(processes()).toEqual([]);
  await next.end('SIGTERM');
});

it('a process in a session of its own is woken up when it is stopped, and leaves nothing either', async () => {
  await programs.node({ ...stage.env, COLONY_LOG_LEVEL: 'info' });
  const one = await stage.deployment({
    runtime: 'local',
    image: undefined,
    replicas: 1,
    command: ['setsid', 'sleep', '3601'],
    env: { MARK },
  });
  await one.ready();
  const [pid = 0] = await count(1);
  const isStopped = (): boolean => /^State:\s+T/m.test(readIfThere(`/proc/${pid}/status`));

  process.kill(pid, 'SIGSTOP');
  await eventually('it is stopped', async () => isStopped() || undefined);
  await eventually('it goes on', async () => !isStopped() || undefined);
  await one.ready();
  expect(processes()).toEqual([pid]);

  await stage.deployments.delete(one.name, { timeoutMs: 90_000 });
  expect(processes()).toEqual([]);
});
