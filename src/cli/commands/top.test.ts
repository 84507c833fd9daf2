import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appColony, type FakeNode, openNode, report } from '../test-double/app.ts';
import { colonyCli } from '../test-double/run.ts';

let node: FakeNode;
beforeEach(async () => {
  node = await openNode();
  node.runtime.add(0).add(1).add(2, { state: 'exited' });
  node.runtime.add(0, { id: 'other', name: 'db-0', owner: { uid: 'uid-db', resource: 'dbs.example.com/default/db', name: 'db' } });
  node.runtime.usage = [
    { id: 'id-0-d1d1d1d1', cpus: 0.254, memoryBytes: 12.34 * 1024 ** 2, memoryLimitBytes: 512 * 1024 ** 2, pids: 3 },
    { id: 'id-1-d1d1d1d1', cpus: 12, memoryBytes: 900 },
    { id: 'id-2-d1d1d1d1', cpus: 1, memoryBytes: 1 },
    { id: 'other', cpus: 0, memoryBytes: 1.5 * 1024 ** 3, pids: 20 },
  ];
});
afterEach(() => node.close());

const cli = (...argv: string[]) =>
  colonyCli(appColony({ instances: [report(0), report(1), report(5, { node: 'b' })] }), argv, { env: node.env });

describe('colony top', () => {
  it('shows all instances of this node', async () => {
    expect((await cli('top')).out).toMatchInlineSnapshot(`
      "INSTANCE                    NODE   CPU     MEMORY   LIMIT   PIDS
      db-0                        a      0.00    1.5Gi    -       20
      web-0123456789-0-d1d1d1d1   a      0.25    12.3Mi   512Mi   3
      web-0123456789-1-d1d1d1d1   a      12.00   900B     -       -
      web-0123456789-2-d1d1d1d1   a      -       -        -       -
      "
    `);
  });

  it('shows those of one resource, and says what is elsewhere', async () => {
    const { out, err } = await cli('top', 'app/web', '--no-headers');
    expect([out.split('\n').length, err]).toEqual([
      4,
      'note: slot 5 of app.example.com/web is on node b; top works only on that node for now\n',
    ]);
  });

  it('prints the plain figures as JSON', async () => {
    const { items } = JSON.parse((await cli('top', 'app/web', '-o', 'json')).out);
    expect(items[0]).toMatchObject({
      slot: 0,
      node: 'a',
      runtime: 'local',
      cpus: 0.254,
      pids: 3,
      resource: 'apps.example.com/default/web',
    });
  });

  it('says when there is nothing', async () => {
    node.runtime.seen = [];
    expect(await cli('top')).toEqual({ code: 0, out: '', err: 'No instances on node a.\n' });
  });
});
