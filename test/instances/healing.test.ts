import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Deployment, eventually, pause, Stage } from '../support/instances.ts';

/** What one heal may write: the news, two decisions, one flight. */
const EVENTS_PER_HEAL = 20;

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start({ neverSweeps: true });
});

afterAll(() => stage?.end());

/** Hurts one of two, and waits until two that are right run again; the other is never touched. */
async function heals(one: Deployment, hurt: (id: string) => Promise<unknown>): Promise<{ readonly events: number }> {
  await one.ready();
  await one.settledFor(300);
  const [victim = '', bystander = ''] = await one.ids();
  const before = await one.historyLength();
  const since = Date.now();
  await hurt(victim);
  await eventually('it was noticed', async () => ((await one.historyLength()) > before ? true : undefined));
  await one.ready();
  await one.settledFor(1_000);
  const events = await one.costSince(before);
  await one.runs(2);
  expect(one.operations(since, bystander), 'the other was left alone').toEqual([]);
  return { events };
}

const hurts: { name: string; hurt: (id: string) => Promise<unknown> }[] = [
  { name: 'killed', hurt: (id) => stage.engine.kill(id) },
  { name: 'stopped', hurt: (id) => stage.engine.stop(id) },
  { name: 'removed', hurt: (id) => stage.engine.remove(id) },
  { name: 'paused', hurt: (id) => stage.engine.pause(id) },
  { name: 'renamed', hurt: (id) => stage.engine.rename(id, `mine-${id.slice(0, 8)}`) },
  { name: 'edited by hand', hurt: (id) => stage.engine.update(id, { PidsLimit: 77 }) },
  { name: 'given a restart policy', hurt: (id) => stage.engine.update(id, { RestartPolicy: { Name: 'always' } }) },
];

/** Memory that is empty again in the next life, so that what was done to one life ends with it, however long anything takes. */
const MOOD = { emptyDir: {}, target: '/mood' };
/** A check that is only slow does not fail. */
const PATIENT = { periodSeconds: 1, timeoutSeconds: 60 };

describe.concurrent('an instance that was', () => {
  it.each(hurts)('$name comes back as it should be, in one pass', async ({ name, hurt }) => {
    const one = await stage.deployment({ replicas: 2, memory: '32Mi' });
    const { events } = await heals(one, hurt);
    expect(events, `history events of one heal (${name})`).toBeLessThanOrEqual(EVENTS_PER_HEAL);
    for (const { Name, HostConfig, State } of await one.inspect()) {
      expect(State).toMatchObject({ Running: true, Paused: false });
      expect(HostConfig).toMatchObject({ PidsLimit: 512, RestartPolicy: { Name: 'no' } });
      expect(Name).toMatch(new RegExp(`^/${one.name}-`));
    }
    await one.ends();
  });

  it('unhealthy is restarted', async () => {
    const check = { exec: { command: ['test', '!', '-e', '/mood/sick'] }, ...PATIENT };
    const one = await stage.deployment({ replicas: 2, livenessProbe: { ...check, failureThreshold: 1 }, volumes: [MOOD] });
    const { events } = await heals(one, (id) => stage.engine.exec(id, ['touch', '/mood/sick']));
    expect(events, 'history events of one heal').toBeLessThanOrEqual(EVENTS_PER_HEAL);
    expect((await one.status()).instances.map(({ restarts }) => restarts).sort()).toEqual([0, 1]);
    await one.ends();
  });

  it('out of memory comes back, and it is said why it had ended', async () => {
    const eat = 'trap "exit 0" TERM; while [ ! -e /mood/hungry ]; do sleep 0.1; done; x=x; while :; do x=$x$x; done';
    const one = await stage.deployment({ replicas: 1, memory: '16Mi', command: ['sh', '-c', eat], volumes: [MOOD] });
    await one.ready();
    const [id = ''] = await one.ids();
    // It may be over before the engine can say how the command ended.
    await stage.engine.exec(id, ['touch', '/mood/hungry']).catch(() => {});
    await eventually('it was started again', async () => (await one.status()).instances.some(({ restarts }) => restarts > 0) || undefined);
    await one.ready();
    // The engine may tell why it ended after it has told that.
    await eventually(
      'it is said why',
      async () => (await one.status()).instances.every(({ lastExit }) => lastExit?.outOfMemory) || undefined,
    );
    expect((await one.status()).instances).toMatchObject([{ restarts: 1, lastExit: { code: 137, outOfMemory: true } }]);
    await one.ends();
  });

  it('all removed at once come back, all in one pass', async () => {
    const one = await stage.deployment({ replicas: 4 });
    await one.ready();
    await one.settledFor(300);
    const before = await one.historyLength();
    const gone = await one.ids();
    await Promise.all(gone.map((id) => stage.engine.remove(id)));
    await eventually('others are there', async () => {
      const now = await one.containers();
      return now.length === 4 && now.every(({ Id, State }) => State === 'running' && !gone.includes(Id)) ? true : undefined;
    });
    await one.ready();
    await one.settledFor(1_000);
    expect(await one.costSince(before)).toBeLessThanOrEqual(2 * EVENTS_PER_HEAL);
    await one.ends();
  });

  it('in a crash loop is tried more and more rarely, and it is said when next', async () => {
    const one = await stage.deployment({ replicas: 1, command: ['sh', '-c', 'echo broken; exit 3'] });
    const { message } = await one.shows('Ready', { status: 'False', reason: 'CrashLoopBackOff' });
    expect(message).toMatch(/slot 0 .*exit code 3/);
    const later = await eventually('the third start', async () => (startsOf(one).length >= 4 ? startsOf(one) : undefined));
    const gaps = later.slice(1).map((at, index) => at - (later[index] ?? 0));
    expect(gaps[1]).toBeGreaterThan(900);
    expect(gaps[2]).toBeGreaterThan(1_900);
    const isAhead = async () =>
      (await one.status()).instances.find(({ nextRestartTime }) => Date.parse(nextRestartTime ?? '') > Date.now());
    expect(await eventually('it says when', isAhead)).toMatchObject({ lastExit: { code: 3, log: expect.stringContaining('broken') } });
    await one.change({ command: undefined });
    await one.ready();
    await one.runs(1);
    await one.ends();
  });
});

const startsOf = (one: Deployment): number[] => one.happened().flatMap(({ at, action }) => (action === 'start' ? [at] : []));

it('that is as it should be costs nothing: no event of its history and no change in the engine for ten seconds', async () => {
  const [plain, probed] = await Promise.all([
    stage.deployment({ replicas: 2 }),
    stage.deployment({ replicas: 2, readinessProbe: { exec: { command: ['true'] }, ...PATIENT } }),
  ]);
  for (const one of [plain, probed]) await one.ready();
  for (const one of [plain, probed]) await one.settledFor(300);
  const before = await Promise.all([plain, probed].map((one) => one.historyLength()));
  const since = Date.now();
  await pause(10_000);
  expect(await Promise.all([plain, probed].map((one) => one.historyLength()))).toEqual(before);
  for (const one of [plain, probed]) expect(one.operations(since)).toEqual([]);
  await Promise.all([plain.ends(), probed.ends()]);
});
