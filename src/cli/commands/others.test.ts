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

describe('colony delete', () => {
  it.each([
    { argv: ['widget', 'w1', 'w2'], left: ['Database/w2'] },
    { argv: ['widget/w1'], left: ['Widget/w2', 'Database/w2'] },
    { argv: ['widgets', '--all'], left: ['Database/w2'] },
    { argv: ['widgets', '-l', 'app=shop'], left: ['Widget/w2', 'Database/w2'] },
    { argv: ['widgets,databases', '--all', '-n', 'empty'], left: ['Widget/w1', 'Widget/w2', 'Database/w2'] },
  ])('$argv leaves $left', async ({ argv, left }) => {
    expect((await cli('delete', ...argv)).code).toBe(0);
    expect([...colony.stored.values()].map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual(left);
  });

  it('deletes what files name, definitions last', async () => {
    const input = 'kind: ResourceDefinition\nmetadata: {name: r1}\n---\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w1}\n';
    colony.put({ kind: 'ResourceDefinition', name: 'r1' });
    const { out } = await colonyCli(colony, ['delete', '-f', '-'], { input });
    expect(out).toBe('widget.example.com "w1" deleted\nresourcedefinition.colony.io "r1" deleted\n');
  });

  it('passes on how', async () => {
    await cli('delete', 'widget/w1', '--cascade', 'orphan', '--wait=false', '--timeout', '5s');
    expect(colony.calls[0]?.args[1]).toEqual({ wait: false, propagation: 'Orphan', timeoutMs: 5_000 });
    await cli('delete', 'widget/w2', '--no-wait');
    expect(colony.calls[1]?.args[1]).toEqual({ wait: false });
  });

  it('says what force leaves behind', async () => {
    colony.leftBehind = ['two containers'];
    expect(await cli('delete', 'widget/w1', '--force')).toEqual({
      code: 0,
      out: 'widget.example.com "w1" force deleted\n',
      err: 'left behind: two containers\n',
    });
  });

  it('deletes the rest when one is missing', async () => {
    const { code, out } = await cli('delete', 'widget', 'w1', 'nobody');
    expect([code, out]).toEqual([1, 'widget.example.com "w1" deleted\n']);
    expect((await cli('delete', 'widget', 'nobody', '--ignore-not-found')).code).toBe(0);
  });

  it.each([
    [[]],
    [['widgets']],
    [['widget/w1', '--all']],
    [['widget/w1', '--cascade', 'all']],
    [['widget/w1', '--wait=maybe']],
    [['widget/w1', '--timeout', 'soon']],
  ])('refuses %j', async (argv) => {
    expect((await cli('delete', ...argv)).code).toBe(2);
    expect(colony.calls).toEqual([]);
  });
});

describe('colony resource', () => {
  it('finds by name among all kinds', async () => {
    expect((await cli('resource', 'get', 'w1')).out).toContain('widget.example.com/w1');
    expect(JSON.parse((await cli('resource', 'get', 'w1', '-o', 'json')).out)).toMatchObject({ kind: 'Widget' });
    expect((await cli('resource', 'get', 'w2')).out).toMatch(/widget.*w2[\s\S]*database.*w2/);
    expect((await cli('resource', 'get', 'nobody')).code).toBe(1);
    expect((await cli('resource', 'list', '--kind', 'Database', '-o', 'name')).out).toBe('database.storage.example.com/w2\n');
  });

  it('deletes only what is named without doubt', async () => {
    expect((await cli('resource', 'delete', 'w1')).code).toBe(0);
    const { code, err } = await cli('resource', 'delete', 'w2');
    expect([code, err.includes('several resources')]).toEqual([2, true]);
  });
});

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

describe('colony wait', () => {
  it('takes conditions, paths and delete', async () => {
    colony.put({
      kind: 'Widget',
      name: 'w1',
      status: { conditions: [{ type: 'Ready', status: 'True', reason: 'R', message: '', lastTransitionTime: '', observedGeneration: 1 }] },
    });
    expect(await cli('wait', 'widget/w1', '--for=condition=Ready', '--timeout', '1s')).toEqual({
      code: 0,
      out: 'widget.example.com/w1 condition met\n',
      err: '',
    });
    expect((await cli('wait', 'widget/w1', '--for=delete')).code).toBe(0);
    expect((await cli('wait', 'widgets', '--all', '--for', 'condition=ready=true')).code).toBe(1);
    colony.watched = [{ type: 'ADDED', resource: [...colony.stored.values()][0]! }];
    expect((await cli('wait', 'widget/w1', '--for=jsonpath=.metadata.name=w1', '--timeout', '1s')).code).toBe(0);
    expect((await cli('wait', 'widget/w1', '--for=jsonpath=.spec.none', '--timeout', '50ms')).code).toBe(1);
  });

  it('says why when the time is up', async () => {
    const { code, err } = await cli('wait', 'widget/w2', '--for=condition=Ready', '--timeout', '1s');
    expect([code, err]).toEqual([
      1,
      'error: Widget did not become Ready in time\nNo worker has looked at it yet. See whether one is running: colony doctor\n',
    ]);
  });

  it.each([
    [['widget/w1']],
    [['widget/w1', '--for=ready']],
    [['widget/w1', '--for=condition=Ready=maybe']],
    [['widgets', '--for=delete']],
    [['widgets', '-l', 'x=y', '--for=delete']],
  ])('refuses %j', async (argv) => expect((await cli('wait', ...argv)).code).toBe(2));
});

describe('colony history, rollback, events, reconcile, pause, resume, command', () => {
  beforeEach(() => {
    colony.revisions = [
      { generation: 1, spec: { size: 1 }, at: '2026-03-01T11:50:00Z', by: 'ann@host' },
      { generation: 2, spec: { size: 2, note: 'x' }, at: '2026-03-01T11:59:00Z', by: 'bob@host' },
    ];
  });

  it('lists revisions with what changed', async () => {
    expect((await cli('history', 'widget/w1')).out).toBe(
      [
        'REVISION   AGE   BY         CHANGE',
        '1          10m   ann@host   created',
        '2          60s   bob@host   spec.note: "x", spec.size: 1 → 2',
        '',
      ].join('\n'),
    );
    expect((await cli('history', 'widget/w1', '--limit', '1', '--no-headers')).out).toContain('2   60s   bob@host');
    expect((await cli('history', 'widget/w1', '--revision', '1')).out).toBe('size: 1\n');
    expect((await cli('history', 'widget/w1', '--revision', '9')).code).toBe(2);
    expect((await cli('history', 'widget/w1', '--limit', 'all')).code).toBe(2);
  });

  it('rolls back', async () => {
    expect((await cli('rollback', 'widget/w1', '--to', '1')).out).toBe('widget.example.com/w1 rolled back to revision 1 (generation 7)\n');
    expect(colony.calls).toEqual([{ verb: 'rollback', args: [{ name: 'w1', namespace: 'default' }, { to: 1 }] }]);
  });

  it('asks to look now', async () => {
    expect((await cli('reconcile', 'widget/w1', '--force', '-n', 'dev')).out).toBe('widget.example.com/w1 reconcile requested\n');
    expect(colony.calls).toEqual([{ verb: 'reconcile', args: [{ name: 'w1', namespace: 'dev' }, { force: true }] }]);
  });

  it('pauses and resumes', async () => {
    expect((await cli('pause', 'widget/w1')).out).toBe('widget.example.com/w1 paused\n');
    expect((await cli('resume', 'widget/w1')).out).toBe('widget.example.com/w1 was not paused\n');
  });

  it('calls a verb with arguments', async () => {
    expect((await cli('command', 'widget/w1', 'scale', 'replicas=3', 'why=because')).out).toBe(
      'widget.example.com/w1 scale done (generation 7)\nok: true\n',
    );
    expect(colony.calls).toEqual([
      { verb: 'command', args: [{ name: 'w1', namespace: 'default' }, 'scale', { replicas: 3, why: 'because' }] },
    ]);
    expect((await cli('command', 'widget/w1', 'scale', 'replicas')).code).toBe(2);
  });

  it('prints events', async () => {
    expect(await cli('events', 'widget/w1')).toEqual({ code: 0, out: '', err: 'No events of widget.example.com/w1.\n' });
    colony.eventsOf = [
      {
        type: 'Normal',
        reason: 'Created',
        message: 'It was created.',
        count: 1,
        firstSeen: '2026-03-01T11:59:50Z',
        lastSeen: '2026-03-01T11:59:50Z',
      },
    ];
    expect((await cli('events', 'widget/w1')).out).toBe(
      'LAST SEEN   TYPE     REASON    MESSAGE\n10s         Normal   Created   It was created.\n',
    );
  });
});

describe('colony kinds and explain', () => {
  it('lists kinds', async () => {
    expect((await cli('kinds', '-o', 'name')).out).toBe(
      'databases.storage.example.com\nresourcedefinitions.colony.io\nwidgets.example.com\n',
    );
    expect((await cli('api-resources', '--no-headers')).out).toContain('widgets');
    expect(JSON.parse((await cli('kinds', '-o', 'json')).out).items[2]).toMatchObject({
      kind: 'Widget',
      shortNames: ['wd'],
      namespaced: true,
    });
  });

  it('explains fields', async () => {
    const { z } = await import('zod');
    colony.define('Gadget', 'example.com', {
      builtIn: true,
      spec: z.object({
        size: z.number().int().min(1).default(3).describe('How large.'),
        parts: z.array(z.object({ name: z.enum(['a', 'b']) })),
      }),
    });
    expect((await cli('explain', 'gadget.spec')).out).toContain('size    integer');
    expect((await cli('explain', 'gadget.spec.size')).out).toContain('FIELD:      spec.size <integer> ≥ 1; default 3; How large.');
    expect((await cli('explain', 'gadgets.parts.name')).out).toContain('"a" | "b"');
    expect((await cli('explain', 'gadget.spec.none')).code).toBe(2);
    expect((await cli('explain', 'none')).code).toBe(1);
    colony.put({
      kind: 'ResourceDefinition',
      name: 'widgets.example.com',
      spec: { schema: { type: 'object', properties: { size: { type: 'integer' } } } },
    });
    expect((await cli('explain', 'widget.spec')).out).toContain('size    integer');
  });
});
