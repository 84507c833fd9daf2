import { beforeEach, describe, expect, it } from 'vitest';
import { workflow } from '../../../definitions/workflow/index.ts';
import { run } from '../run.ts';
import { FakeColony } from '../test-double/colony.ts';
import { fakeIo } from '../test-double/io.ts';
import { colonyCli } from '../test-double/run.ts';

const ready = (status: 'True' | 'False' | 'Unknown', reason = 'Settled', message = 'All is well.') => [
  { type: 'Ready', status, reason, message, lastTransitionTime: '2026-03-01T11:59:00Z', observedGeneration: 1 },
];

let colony: FakeColony;
beforeEach(() => {
  colony = new FakeColony()
    .define('Widget', 'example.com', { shortNames: ['wd'] })
    .define('Database', 'storage.example.com', {
      columns: [
        { name: 'Engine', jsonPath: '.spec.engine', type: 'string' },
        { name: 'Since', jsonPath: '.metadata.creationTimestamp', type: 'date' },
        { name: 'Size', jsonPath: '.spec.size', type: 'string', priority: 1 },
        { name: 'Broken', jsonPath: '.spec[', type: 'string', priority: 1 },
      ],
    })
    .put({
      kind: 'Widget',
      name: 'w1',
      labels: { app: 'shop' },
      status: { phase: 'Ready', observedGeneration: 1, conditions: ready('True') },
    })
    .put({
      kind: 'Widget',
      name: 'w2',
      status: { phase: 'Failed', observedGeneration: 0, conditions: ready('False', 'Broken', 'It broke.') },
    })
    .put({ kind: 'Widget', name: 'w3', namespace: 'other' })
    .put({ kind: 'Database', name: 'd1', spec: { engine: 'redis' } });
});

const get = (...argv: string[]) => colonyCli(colony, ['get', ...argv]);

describe('colony get', () => {
  it('breaks no word on a terminal of 80 columns, and no line in a pipe', async () => {
    colony.put({ kind: 'Database', name: `a-database-with-${'a-very-'.repeat(6)}long-name`, spec: { engine: 'postgresql' } });
    const { out } = await colonyCli(colony, ['get', 'all', '-o', 'wide'], { outIsTerminal: true });
    expect(out.split('\n').filter((line) => line.length > 80 && line.includes('  '))).toEqual([]);
    const piped = (await get('all', '-o', 'wide')).out;
    const words = (text: string) => text.split(/\s+/).sort();
    expect(words(out)).toEqual(words(piped));
    expect(piped.trimEnd().split('\n')).toHaveLength(7);
  });

  it('prints a table that reads well in 80 columns', async () => {
    expect(await get('widgets')).toEqual({
      code: 0,
      err: '',
      out: ['NAME   READY   STATUS   GEN   AGE', 'w1     True    Ready    1     5m', 'w2     False   Failed   0/1   5m', ''].join('\n'),
    });
  });

  it.each([['Widget'], ['widget'], ['wd'], ['widgets.example.com']])('knows the kind as %s', async (name) => {
    expect((await get(name)).out).toContain('w1');
  });

  it('prints the next run of a Workflow from now on, though its status was written before that was over', async () => {
    const { names, columns = [] } = workflow;
    colony.define('Workflow', 'automation.colonies.io', { shortNames: names.shortNames ?? [], columns });
    const scheduled = (name: string, schedule: string, nextRun: string) =>
      colony.put({ kind: 'Workflow', name, status: { schedule, timezone: 'Europe/Stockholm', nextRun } });
    scheduled('often', '* * * * *', '2026-03-01T11:50:00.000Z');
    scheduled('nightly', '0 1 * * *', '2026-03-01T00:00:00.000Z');
    scheduled('to-come', '0 1 * * *', '2026-03-04T00:00:00.000Z');
    const cells = (await get('workflows')).out.split('\n').flatMap((line) => /2026-\S+/.exec(line)?.[0] ?? []);
    expect(cells).toEqual(['2026-03-01T12:01:00.000Z', '2026-03-02T00:00:00.000Z', '2026-03-04T00:00:00.000Z']);
    expect((await colonyCli(colony, ['describe', 'workflow/often'])).out).toContain('nextRun: 2026-03-01T12:01:00.000Z');
    expect((await get('workflow/often', '-o', 'jsonpath={.status.nextRun}')).out).toBe('2026-03-01T11:50:00.000Z\n');
  });

  it("prints the kind's own columns, those of low priority only when wide", async () => {
    expect((await get('database')).out).toBe('NAME   ENGINE   SINCE   AGE\nd1     redis    5m      5m\n');
    expect((await get('database', '-o', 'wide')).out.split('\n')[0]).toBe(
      'NAME   ENGINE   SINCE   SIZE     BROKEN       AGE   REASON   MESSAGE',
    );
    expect((await get('database', '-o', 'wide')).out).toContain('<bad path>');
  });

  it('prints counts and ratios of a replicated kind, and colours what is not whole', async () => {
    colony
      .define('App', 'example.com', {
        columns: [
          { name: 'Ready', jsonPath: '.status.replicasReady', type: 'string' },
          { name: 'Up-to-date', jsonPath: '.status.updatedReplicas', type: 'integer' },
          { name: 'Paused', jsonPath: '.spec.paused', type: 'boolean' },
        ],
      })
      .put({ kind: 'App', name: 'a1', spec: { paused: false }, status: { replicasReady: '2/3', updatedReplicas: 0 } })
      .put({ kind: 'App', name: 'a2', status: { replicasReady: '10/10', updatedReplicas: 10 } })
      .put({ kind: 'App', name: 'a3' });
    expect((await get('apps')).out).toBe(
      [
        'NAME   READY    UP-TO-DATE   PAUSED   AGE',
        'a1     2/3      0            false    5m',
        'a2     10/10    10           <none>   5m',
        'a3     <none>   <none>       <none>   5m',
        '',
      ].join('\n'),
    );
    const { out } = await colonyCli(colony, ['get', 'apps'], { colour: true });
    expect(out).toContain('\u001b[33m2/3   \u001b[0m');
    expect(out).toContain('\u001b[32m10/10 \u001b[0m');
  });

  it('adds namespaces, labels and reasons when asked', async () => {
    const { out } = await get('widgets', '-A', '--show-labels', '-o', 'wide');
    expect(out).toBe(
      [
        'NAMESPACE   NAME   READY     STATUS    GEN   AGE   REASON    MESSAGE        LABELS',
        'default     w1     True      Ready     1     5m    Settled   All is well.   app=shop',
        'default     w2     False     Failed    0/1   5m    Broken    It broke.      <none>',
        'other       w3     Unknown   Pending   0/1   5m    <none>                   <none>',
        '',
      ].join('\n'),
    );
  });

  it('filters by label and namespace', async () => {
    expect((await get('widgets', '-l', 'app=shop', '--no-headers')).out).toBe('w1   True   Ready   1   5m\n');
    expect((await get('widgets', '-n', 'other', '-o', 'name')).out).toBe('widget.example.com/w3\n');
    expect((await colonyCli(colony, ['get', 'widgets', '-o', 'name'], { env: { COLONY_NAMESPACE: 'other' } })).out).toBe(
      'widget.example.com/w3\n',
    );
  });

  it('prints one named resource as itself and several as a List', async () => {
    expect(JSON.parse((await get('widget', 'w1', '-o', 'json')).out)).toMatchObject({ kind: 'Widget', metadata: { name: 'w1' } });
    expect(JSON.parse((await get('widget/w1', '-o', 'json')).out)).toMatchObject({ kind: 'Widget' });
    expect(JSON.parse((await get('widget', 'w1', 'w2', '-o', 'json')).out)).toMatchObject({
      apiVersion: 'v1',
      kind: 'List',
      items: [{}, {}],
    });
    expect(JSON.parse((await get('widgets', '-n', 'empty', '-o', 'json')).out)).toEqual({ apiVersion: 'v1', kind: 'List', items: [] });
    expect((await get('widget/w1', '-o', 'yaml')).out).toContain('\nkind: Widget\n');
    expect((await get('widget/w1', '-o', 'jsonpath={.status.phase}')).out).toBe('Ready\n');
  });

  it('separates kinds and then names them', async () => {
    expect((await get('widgets,databases')).out).toBe(
      [
        'NAME                    READY   STATUS   GEN   AGE',
        'widget.example.com/w1   True    Ready    1     5m',
        'widget.example.com/w2   False   Failed   0/1   5m',
        '',
        'NAME                              ENGINE   SINCE   AGE',
        'database.storage.example.com/d1   redis    5m      5m',
        '',
      ].join('\n'),
    );
    expect((await get('all')).out).toContain('database.storage.example.com/d1');
    expect((await get('widget/w1', 'database/d1', '-o', 'name')).out).toBe('widget.example.com/w1\ndatabase.storage.example.com/d1\n');
  });

  it('says on stderr when there is nothing, with exit code 0', async () => {
    expect(await get('widgets', '-n', 'empty')).toEqual({ code: 0, out: '', err: 'No resources found in namespace empty.\n' });
  });

  it('shows the ones it finds and fails for the others', async () => {
    const { code, out, err } = await get('widget', 'w1', 'nobody');
    expect([code, out.includes('w1'), err]).toEqual([1, true, 'error: Widget nobody does not exist\n']);
  });

  it('names the known kinds when one is unknown', async () => {
    expect(await get('gadgets')).toEqual({
      code: 1,
      out: '',
      err: 'error: nobody knows the kind "gadgets"\nKnown kinds: widgets, databases.\n',
    });
  });

  it.each([
    [[]],
    [['widget/w1', '-A']],
    [['widget/w1', '-l', 'a=b']],
    [['widgets', '-o', 'xml']],
    [['widget/w1', 'w2']],
    [['all', '-w']],
    [['widgets', '--bogus']],
  ])('refuses %j with exit code 2', async (argv) => expect((await get(...argv)).code).toBe(2));

  it('lets no control character through', async () => {
    colony.put({ kind: 'Widget', name: 'w1', status: { phase: 'a\u001b[31m\u009b\nb', conditions: ready('True', 'R\u0007', 'x\u202e') } });
    for (const format of ['table', 'wide', 'json', 'yaml', 'name', 'jsonpath=.status.phase']) {
      const { out } = await get('widget/w1', '-o', format);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the point
      expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
    const { parse } = await import('yaml');
    expect(parse((await get('widget/w1', '-o', 'yaml')).out).status.phase).toBe('a\u001b[31m\u009b\nb');
  });
});

describe('colony get -w and watch', () => {
  const watchUntilQuiet = async (...argv: string[]) => {
    const [w1] = await colony.list();
    colony.watched = [
      { type: 'ADDED', resource: w1! },
      { type: 'DELETED', resource: w1! },
    ];
    const io = fakeIo();
    const running = run(argv, io, async () => colony);
    await new Promise((resolve) => setTimeout(resolve, 80));
    io.interrupt();
    return { code: await running, out: io.stdout() };
  };

  it('prints rows as they come and ends with 0 at Ctrl-C', async () => {
    expect(await watchUntilQuiet('get', 'widgets', '-w')).toEqual({
      code: 0,
      out: 'NAME   READY   STATUS   GEN   AGE\nw1     True    Ready    1     5m\nw1     True    Ready    1     5m\n',
    });
  });

  it('says what happened in watch', async () => {
    expect((await watchUntilQuiet('watch', 'widgets')).out).toBe(
      'EVENT      NAME   READY   STATUS   GEN   AGE\nADDED      w1     True    Ready    1     5m\nDELETED    w1     True    Ready    1     5m\n',
    );
    const lines = (await watchUntilQuiet('watch', 'widget', 'w1', '-o', 'json')).out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).type)).toEqual(['ADDED', 'DELETED']);
  });

  it('does not watch what is not there', async () => expect((await get('widget', 'nobody', '-w')).code).toBe(1));
});
