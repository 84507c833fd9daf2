import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Condition } from '../../../definitions/core/resource.ts';
import { TimeoutError } from '../../client/errors.ts';
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

describe('colony delete, while it waits', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }));
  afterEach(() => void vi.useRealTimers());

  /** Deletes `widget/w1`, which takes 15 seconds to go. */
  const slowly = async (...more: string[]) => {
    const { resources } = colony;
    colony.resources = (...kind) => ({
      ...resources.apply(colony, kind),
      delete: () => new Promise((resolve) => setTimeout(() => resolve({ deletionTimestamp: '', uid: 'u' }), 15_000)),
    });
    const deleting = cli('delete', 'widget/w1', ...more);
    let isDone = false;
    void deleting.finally(() => {
      isDone = true;
    });
    // Real work, such as reading the command's file, goes on between the steps of the clock.
    while (!isDone) {
      await vi.advanceTimersByTimeAsync(500);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return (await deleting).err.split('\n').filter(Boolean);
  };

  it('says who is waited for, and how to do without', async () => {
    colony.inTheAir = [{ activity: 'tidy', summary: 'clean up', state: 'waiting', attempt: 1, queue: 'thing-maker' }];
    const lines = await slowly();
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      expect(line).toMatch(
        /^waiting until widget\.example\.com\/w1 is gone: clean up, waits for somebody on thing-maker to take it \(--force does not wait\) … /,
      );
    }
  });

  it('says what keeps it when nothing is under way', async () => {
    const conditions: Condition[] = [
      {
        type: 'DeletionBlocked',
        status: 'True',
        reason: 'FinalizersLeft',
        message: 'Waits for finalizers to be removed: a.io/b.',
        lastTransitionTime: '',
        observedGeneration: 1,
      },
    ];
    colony.put({ kind: 'Widget', name: 'w1', status: { conditions } });
    const lines = await slowly();
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toContain(' is gone: Waits for finalizers to be removed: a.io/b (--force does not wait) … ');
  });

  it('says when nobody tries any more what it waits for', async () => {
    const condition = { lastTransitionTime: '', observedGeneration: 1 };
    const conditions: Condition[] = [
      { ...condition, type: 'Ready', status: 'False', reason: 'Exploded', message: 'The pump is broken.' },
      {
        ...condition,
        type: 'Stalled',
        status: 'True',
        reason: 'NotTriedAgain',
        message: 'It is not tried again until somebody asks for it.',
      },
    ];
    colony.put({ kind: 'Widget', name: 'w1', status: { conditions } });
    const told = 'The pump is broken. It is not tried again until somebody asks for it (--force does not wait) … ';
    for (const line of await slowly()) expect(line).toContain(` is gone: ${told}`);
  });

  it('says what it waited for when its time is over', async () => {
    const { resources } = colony;
    colony.inTheAir = [{ activity: 'tidy', summary: 'clean up', state: 'waiting', attempt: 1, queue: 'thing-maker' }];
    colony.resources = (...kind) => ({
      ...resources.apply(colony, kind),
      delete: () => Promise.reject(new TimeoutError('Widget w1 is still being deleted after 60 s')),
    });
    const { err } = await cli('delete', 'widget/w1');
    expect(err).toContain('It waits for this: clean up, waits for somebody on thing-maker to take it.\n');
  });

  it('does not praise what was asked for already', async () => {
    colony.inTheAir = [{ activity: 'tidy', state: 'running', attempt: 1 }];
    const lines = await slowly('--force');
    expect(lines[0]).toMatch(/is gone: tidy … /);
  });

  it('waits without a word about why when that cannot be known', async () => {
    const { resources } = colony;
    colony.resources = (...kind) => ({ ...resources.apply(colony, kind), pending: () => Promise.reject(new Error('no')) });
    expect((await slowly())[0]).toMatch(/^waiting until widget\.example\.com\/w1 is gone … /);
  });
});
