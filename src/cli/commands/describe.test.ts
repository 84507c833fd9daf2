import { beforeEach, describe, expect, it } from 'vitest';
import type { Condition } from '../../../definitions/core/resource.ts';
import { appColony, ready, report } from '../test-double/app.ts';
import { FakeColony } from '../test-double/colony.ts';
import { colonyCli } from '../test-double/run.ts';

let colony: FakeColony;
beforeEach(() => {
  colony = new FakeColony()
    .define('ResourceDefinition', 'colony.io', { scope: 'Cluster' })
    .define('Widget', 'example.com', { shortNames: ['wd'] })
    .define('Database', 'storage.example.com')
    .put({ kind: 'Widget', name: 'w1', spec: { size: 1 }, labels: { app: 'shop' } })
    .put({ kind: 'Widget', name: 'w2' })
    .put({ kind: 'Database', name: 'w2' });
});

const cli = (...argv: string[]) => colonyCli(colony, argv);

describe('colony describe', () => {
  it('tells everything, and why it is stuck', async () => {
    colony.put({
      kind: 'Widget',
      name: 'w1',
      labels: { app: 'shop' },
      spec: { size: 1, text: 'a\nb' },
      status: {
        phase: 'Pending',
        observedGeneration: 0,
        conditions: [
          {
            type: 'Ready',
            status: 'Unknown',
            reason: 'ExecutorUnavailable',
            message: 'Nobody serves the queue widget-controller.',
            lastTransitionTime: '2026-03-01T11:59:00Z',
            observedGeneration: 1,
          },
          {
            type: 'ExecutorUnavailable',
            status: 'True',
            reason: 'ExecutorUnavailable',
            message: 'Nobody serves the queue widget-controller.',
            lastTransitionTime: '2026-03-01T11:59:00Z',
            observedGeneration: 1,
          },
        ],
      },
    });
    colony.eventsOf = [
      {
        type: 'Warning',
        reason: 'ExecutorUnavailable',
        message: 'Nobody serves it.',
        count: 3,
        firstSeen: '2026-03-01T11:50:00Z',
        lastSeen: '2026-03-01T11:59:00Z',
      },
    ];
    expect((await cli('describe', 'widget/w1')).out).toMatchInlineSnapshot(`
      "Name:         w1
      Namespace:    default
      Kind:         Widget (example.com/v1)
      UID:          uid-w1
      Created:      2026-03-01T11:55:00Z (5m ago)
      Generation:   1 (reached: 0)
      Phase:        Pending
      Ready:        Unknown (ExecutorUnavailable)
      Labels:       app=shop
      Spec:
        size: 1
        text: |-
          a
          b
      Status:
        phase: Pending
        observedGeneration: 0
      Conditions:
        TYPE                 STATUS   AGE  REASON
            MESSAGE
        Ready                Unknown  60s  ExecutorUnavailable
            Nobody serves the queue widget-controller.
        ExecutorUnavailable  True     60s  ExecutorUnavailable
            Nobody serves the queue widget-controller.
      Events:
        LAST SEEN           TYPE      REASON                MESSAGE
        60s (x3 over 10m)   Warning   ExecutorUnavailable   Nobody serves it.

      Why it is not ready:
        ExecutorUnavailable: Nobody serves the queue widget-controller.
      What to do:
        Start an executor on that queue; the resource goes on by itself.
      "
    `);
  });

  it('lists instances with what is wrong with them, and what is in the air', async () => {
    const port = { container: 80, address: '127.0.0.1', protocol: 'tcp' as const };
    const exit = { code: 1, at: '2026-03-01T11:59:50Z', log: 'starting\n\u001b[2Jcannot open /data\n' };
    const app = appColony({
      conditions: [ready('False', { reason: 'CrashLoopBackOff', message: 'Slot 1 ended again and again (code 1).' })],
      replicas: 3,
      instances: [
        report(1, {
          state: 'exited',
          ready: false,
          restarts: 4,
          startedAt: '2026-03-01T11:59:49Z',
          lastExit: exit,
          nextRestartTime: '2026-03-01T12:00:12Z',
        }),
        report(0, { ports: [{ ...port, host: 8080 }] }),
        report(2, {
          node: 'b',
          ready: false,
          restarts: 1,
          lastExit: { code: 137, outOfMemory: true, at: exit.at },
          message: 'GET / answered 503.',
        }),
      ],
    });
    app.inTheAir = [
      {
        activity: 'syncInstances',
        state: 'running',
        attempt: 3,
        summary: 'start slots 0-19 on node a',
        done: 12,
        total: 20,
        doing: 'starting web-0123456789-7-d1d1d1d1',
        failure: 'the engine went away',
      },
      { activity: 'probe', state: 'waiting', attempt: 1, queue: 'colony-node-b' },
    ];
    const { out } = await colonyCli(app, ['describe', 'app/web']);
    expect(out.slice(out.indexOf('Status:'))).toMatchInlineSnapshot(`
      "Status:
        replicas: 3
      Instances:
        SLOT  STATE    READY  RESTARTS  STARTED  LAST EXIT         NODE  PORTS
        0     running  yes    0         5m       -                 a     8080→80
        1     exited   no     4         11s      code 1 (10s ago)  a     -
              It is started again in 12s.
              | starting
              | \\x1b[2Jcannot open /data
        2     running  no     1         5m       OOM (10s ago)     b     -
              GET / answered 503.
      Conditions:
        TYPE   STATUS  AGE  REASON            MESSAGE
        Ready  False   60s  CrashLoopBackOff  Slot 1 ended again and again (code 1).
      Events:       <none>
      In the air:   start slots 0-19 on node a: 12 of 20 (starting
                    web-0123456789-7-d1d1d1d1), 3rd try after: the engine went away
                    probe on node b, waits for somebody to take it

      Why it is not ready:
        CrashLoopBackOff: Slot 1 ended again and again (code 1).
      What to do:
        See what they said: colony logs app/web. Then correct the spec and apply.
      "
    `);
    expect(JSON.parse((await colonyCli(app, ['describe', 'app/web', '-o', 'json'])).out).pending).toHaveLength(2);
  });

  it('keeps conditions and events within 80 columns, between words', async () => {
    const message = 'The image registry.example.com/team/app:1 cannot be pulled, because the registry says that nobody may; 3 tries.';
    const app = appColony({ conditions: [ready('False', { reason: 'MinimumReplicasUnavailable', message })] });
    const at = '2026-03-01T11:50:00Z';
    app.eventsOf = [
      { type: 'Warning', reason: 'MinimumReplicasUnavailable', message, count: 30, firstSeen: at, lastSeen: '2026-03-01T11:59:00Z' },
      { type: 'Normal', reason: 'Created', message: 'generation 1 accepted', count: 1, firstSeen: at, lastSeen: at },
    ];
    const { out } = await colonyCli(app, ['describe', 'app/web']);
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(out.slice(out.indexOf('Conditions:'), out.indexOf('\n\n'))).toMatchInlineSnapshot(`
      "Conditions:
        TYPE   STATUS  AGE  REASON
            MESSAGE
        Ready  False   60s  MinimumReplicasUnavailable
            The image registry.example.com/team/app:1 cannot be pulled, because the
            registry says that nobody may; 3 tries.
      Events:
        LAST SEEN           TYPE     REASON
            MESSAGE
        10m                 Normal   Created
            generation 1 accepted
        60s (x30 over 10m)  Warning  MinimumReplicasUnavailable
            The image registry.example.com/team/app:1 cannot be pulled, because the
            registry says that nobody may; 3 tries."
    `);
  });

  it('does not say of a ready resource why it is not ready, but what is worth knowing of it', async () => {
    const paused = { type: 'Paused', status: 'True' as const, reason: 'Paused', message: 'It rests.' };
    const refused = { type: 'SpecAccepted', status: 'False' as const, reason: 'SpecRefused', message: 'spec.size: must be ≥ 1.' };
    const told = async (conditions: readonly (typeof paused | typeof refused)[], isReady: Condition['status']) => {
      const stamped = conditions.map((one) => ({ ...one, lastTransitionTime: '2026-03-01T11:59:00Z', observedGeneration: 1 }));
      const { out } = await colonyCli(appColony({ conditions: [ready(isReady, {}), ...stamped] }), ['describe', 'app/web']);
      return out.slice(out.indexOf('\n\n') + 2);
    };
    expect(await told([paused], 'True')).toMatch(/^Worth knowing:\n {2}Paused: It rests\.\nWhat to do:\n {2}colony resume app\/web\n$/);
    expect(await told([refused], 'True')).toMatch(/^Worth knowing:\n {2}SpecRefused: /);
    expect(await told([refused], 'False')).toMatch(/^Why it is not ready:\n(.|\n)*\n\nWorth knowing:\n {2}SpecRefused: /);
  });
});
