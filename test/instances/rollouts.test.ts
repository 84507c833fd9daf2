import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Deployment, eventually, Stage } from '../support/instances.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start();
});

afterAll(() => stage?.end());

const START_FIRST = { type: 'RollingUpdate', order: 'start-first' };
/** A check that is only slow does not fail. */
const PATIENT = { periodSeconds: 1, timeoutSeconds: 60 };
const NEVER_READY = { readinessProbe: { exec: { command: ['false'] }, ...PATIENT } };
const ENDS = { command: ['sh', '-c', 'exit 1'] };

const imageOf = async (one: Deployment): Promise<Set<string>> => new Set((await one.containers()).map(({ ImageID }) => ImageID));

describe.concurrent('an update', () => {
  it.each([
    { name: 'that ends at once', bad: ENDS, onFailure: 'Rollback', reason: 'RolledBack', left: 2 },
    { name: 'that never gets ready', bad: NEVER_READY, onFailure: 'Rollback', reason: 'RolledBack', left: 2 },
    { name: 'that never gets ready', bad: NEVER_READY, onFailure: 'Pause', reason: 'ProgressDeadlineExceeded', left: 3 },
  ])('$name takes nothing away that works, and is given up in time: $onFailure', async ({ bad, onFailure, reason, left }) => {
    // Without a probe, one that ends at once has been ready for a moment: then only time can tell, and on a busy machine more of it.
    const strategy = { ...START_FIRST, minReadySeconds: 3, progressDeadlineSeconds: 6, onFailure };
    const one = await stage.deployment({ replicas: 2, strategy });
    await one.ready();
    const good = await one.ids();
    const since = Date.now();
    await one.change(bad);
    const { status } = await one.shows('Progressing', { reason });
    expect(status).toBe('False');
    await eventually('all is still again', async () => ((await one.ids()).length === left ? true : undefined));
    expect(await one.ids()).toEqual(expect.arrayContaining(good));
    expect(
      good.flatMap((id) => one.operations(since, id)),
      'what works was not touched',
    ).toEqual([]);
    await one.shows('Ready', { status: 'False' });
    expect((await one.condition('Available'))?.status).toBe('True');
    // A better spec is taken up at once.
    await one.change({ command: undefined, readinessProbe: undefined, image: 'colony-test:v2', strategy: START_FIRST });
    await one.ready();
    await one.runs(2, 'colony-test:v2');
    await one.ends();
  });

  it('that works for a moment only, so that it took over, is taken back when it ends again and again', async () => {
    const one = await stage.deployment({ replicas: 2, strategy: { ...START_FIRST, onFailure: 'Rollback' } });
    await one.ready();
    await one.change({ command: ['sh', '-c', 'sleep 4; exit 7'] });
    const { status, message } = await one.shows('Progressing', { reason: 'RolledBack' });
    expect([status, message]).toEqual(['False', expect.stringContaining('ended again and again as soon as it had taken over')]);
    const commandsOf = async () => (await one.containers()).filter(({ State }) => State === 'running').map(({ Command }) => Command);
    await eventually('what worked before is back', async () => {
      const commands = await commandsOf();
      return commands.length === 2 && commands.every((command) => !command.includes('exit 7')) ? true : undefined;
    });
    await one.shows('Available', { status: 'True' });
    await one.ends();
  });

  it('with start-first never has fewer than wished running', async () => {
    const one = await stage.deployment({
      replicas: 3,
      strategy: START_FIRST,
      readinessProbe: { exec: { command: ['true'] }, ...PATIENT },
    });
    await one.ready();
    const since = Date.now();
    await one.change({ image: 'colony-test:v2' });
    await one.ready();
    const running = await one.runningOverTime(since);
    expect(Math.min(...running)).toBe(3);
    expect(Math.max(...running)).toBe(4);
    await one.ends();
  });

  it('with stop-first never has more than wished, and one fewer at most', async () => {
    const one = await stage.deployment({ replicas: 3, strategy: { type: 'RollingUpdate', order: 'stop-first' } });
    await one.ready();
    const since = Date.now();
    await one.change({ image: 'colony-test:v2' });
    await one.ready();
    const running = await one.runningOverTime(since);
    expect(Math.min(...running)).toBe(2);
    expect(Math.max(...running)).toBe(3);
    await one.ends();
  });

  it('stands still when paused, goes on when resumed, and goes back when undone, as many as they are by then', async () => {
    const one = await stage.deployment({ replicas: 3, strategy: START_FIRST });
    await one.ready();
    // Gets ready when it is told to, so that the first of the new ones surely waits when the pause comes.
    await one.change({ image: 'colony-test:v2', readinessProbe: { exec: { command: ['test', '-e', '/tmp/open'] }, ...PATIENT } });
    const open = async (): Promise<unknown> =>
      Promise.all((await one.ids()).map((id) => stage.engine.exec(id, ['touch', '/tmp/open']).catch(() => {})));
    await eventually('it has begun', async () => ((await imageOf(one)).size === 2 ? true : undefined));
    await one.command('pause');
    await one.shows('Progressing', { reason: 'RolloutPaused' });
    await open();
    await eventually('the new one is ready', async () => ((await one.status()).readyReplicas === 4 ? true : undefined));
    await one.settledFor(1_500);
    expect((await imageOf(one)).size, 'both revisions are there').toBe(2);
    await one.command('resume');
    await eventually('the new ones have taken over', async () => {
      await open();
      return (await imageOf(one)).size === 1 ? true : undefined;
    });
    await one.ready();
    await one.runs(3, 'colony-test:v2');
    await one.command('scale', { replicas: 4 });
    await one.command('undo');
    await eventually('the first image is back', async () => {
      const wanted = await stage.engine.imageId('colony-test:v1');
      return (await one.containers()).every(({ ImageID }) => ImageID === wanted) ? true : undefined;
    });
    await one.ready();
    await one.runs(4, 'colony-test:v1');
    await one.ends();
  });

  it('is interrupted by a newer one, whatever it was waiting for', async () => {
    // Longer than anybody here waits for anything.
    const strategy = { type: 'RollingUpdate', progressDeadlineSeconds: 3_600 };
    const one = await stage.deployment({ replicas: 2, strategy });
    await one.ready();
    await one.change({ image: 'colony-test:v2', ...NEVER_READY });
    await eventually('it has begun', async () => ((await imageOf(one)).size === 2 ? true : undefined));
    await one.change({ readinessProbe: undefined, env: { NEWER: 'yes' } });
    await one.ready();
    await one.runs(2, 'colony-test:v2');
    for (const { Config } of await one.inspect()) expect(Config.Env).toContain('NEWER=yes');
    await one.ends();
  });

  it('to a port that is taken says so, and is done once the port is free', async () => {
    const holder = createServer();
    holder.listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const one = await stage.deployment({ replicas: 1, ports: [{ containerPort: 80, hostPort: port }] });
    const { message } = await one.shows('Ready', { status: 'False', reason: 'PortTaken' });
    expect(message).toContain(String(port));
    holder.close();
    await one.ready();
    expect((await one.inspect()).map(({ NetworkSettings }) => NetworkSettings.Ports['80/tcp'])).toEqual([
      [{ HostIp: '127.0.0.1', HostPort: String(port) }],
    ]);
    await one.ends();
  });

  it('kills what does not want to end, after its grace and not before', async () => {
    const deaf = ['sh', '-c', 'trap "" TERM; echo deaf; while :; do sleep 1; done'];
    const one = await stage.deployment({ replicas: 1, command: deaf, terminationGracePeriodSeconds: 2 });
    await one.ready();
    const [id = ''] = await one.ids();
    await eventually('it is deaf', async () => ((await stage.engine.logs(id)).includes('deaf') ? true : undefined));
    const since = Date.now();
    await one.change({ replicas: 0 });
    await one.ready();
    const kills = one.happened(since).filter(({ action }) => action === 'kill');
    expect(kills.map(({ attributes }) => attributes.signal)).toEqual(['15', '9']);
    const [asked = 0, killed = 0] = kills.map(({ at }) => at);
    expect(killed - asked).toBeGreaterThan(1_900);
    // Unless told, it would be ten seconds.
    expect(killed - asked).toBeLessThan(9_500);
    await one.ends();
  });
});
