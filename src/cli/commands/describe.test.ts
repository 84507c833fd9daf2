import { beforeEach, describe, expect, it } from 'vitest';
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
        TYPE                  STATUS    AGE   REASON                MESSAGE
        Ready                 Unknown   60s   ExecutorUnavailable   Nobody serves the queue widget-controller.
        ExecutorUnavailable   True      60s   ExecutorUnavailable   Nobody serves the queue widget-controller.
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
});
