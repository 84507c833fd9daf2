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
    // As `rollback --to 9`: the line is right, and there is no such revision.
    expect((await cli('history', 'widget/w1', '--revision', '9')).code).toBe(1);
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

describe('-o on commands that change', () => {
  it('prints the resource or its name', async () => {
    expect(JSON.parse((await cli('pause', 'widget/w1', '-o', 'json')).out)).toMatchObject({ kind: 'Widget' });
    expect((await cli('set', 'widget/w1', 'spec.size=2', '-o', 'name')).out).toBe('widget.example.com/w1\n');
    expect((await cli('delete', 'widget/w1', '-o', 'name')).out).toBe('widget.example.com/w1\n');
    expect((await cli('delete', 'widget/w2', '-o', 'json')).code).toBe(2);
  });
});
