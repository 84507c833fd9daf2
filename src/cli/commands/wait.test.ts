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

  it.each(['condition=Ready', 'jsonpath=.status.phase=Ready'])('does not wait for %s of what is not there', async (goal) => {
    const began = Date.now();
    const { code, err } = await cli('wait', 'widget/none', `--for=${goal}`, '--timeout', '3s');
    expect([code, err]).toEqual([1, 'error: Widget none does not exist\n']);
    expect(Date.now() - began).toBeLessThan(2_000);
  });

  it('does not wait on for a field of what is gone', async () => {
    colony.watched = [{ type: 'DELETED', resource: [...colony.stored.values()][0]! }];
    const { code, err } = await cli('wait', 'widget/w1', '--for=jsonpath=.spec.none', '--timeout', '3s');
    expect([code, err]).toEqual([1, 'error: widget.example.com/w1 does not exist any more\n']);
  });

  it('tells of them in the order in which they are named, whoever is first', async () => {
    const { resources } = colony;
    let letFirst = (): void => {};
    const first = new Promise<void>((resolve) => {
      letFirst = resolve;
    });
    colony.resources = (...kind) => ({
      ...resources.apply(colony, kind),
      waitFor: async (ref) => {
        if ((ref as { name: string }).name === 'w1') await first;
        else setImmediate(letFirst);
        return undefined;
      },
    });
    const { out } = await cli('wait', 'widget/w1', 'widget/w2', '--for=condition=Ready');
    expect(out).toBe('widget.example.com/w1 condition met\nwidget.example.com/w2 condition met\n');
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
