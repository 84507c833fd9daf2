import { describe, expect, it } from 'vitest';
import { identityOf } from '../../../definitions/core/identity.ts';
import type { Resource } from '../../../definitions/core/resource.ts';
import type { Row } from '../../client/row.ts';
import { builtIn } from './built-in-kinds.ts';
import type { IndexReader } from './index-reader.ts';
import { parseGet } from './parse-get.ts';
import { quickReading, Unsure } from './reader.ts';

const row = (workflowId: string, kind: string, more: Partial<Row> & { spec?: object; labels_?: Record<string, string> } = {}): Row => {
  const identity = identityOf(workflowId)!;
  const { spec = {}, labels_: labels = {}, ...rest } = more;
  const meta = {
    ...identity,
    uid: 'u',
    resourceVersion: '7',
    generation: 1,
    creationTimestamp: '',
    labels,
    annotations: {},
    ownerReferences: [],
    finalizers: [],
  };
  return {
    workflowId,
    runId: 'r',
    identity,
    kind,
    open: true,
    completed: false,
    startedAt: 0,
    version: 7,
    labels: [],
    memo: { apiVersion: `${identity.group}/v1`, meta, spec: spec as Resource['spec'] },
    ...rest,
  };
};
const names = { kind: 'Widget', listKind: 'WidgetList', singular: 'widget', plural: 'widgets', shortNames: ['wd'] };
const definition = row('resourcedefinitions.colonies.io/-/widgets.example.com', 'ResourceDefinition', {
  spec: { group: 'example.com', version: 'v1', scope: 'Namespaced', names, columns: [] },
});
const w1 = row('widgets.example.com/default/w1', 'Widget', { labels_: { app: 'shop' } });
const w2 = row('widgets.example.com/default/w2', 'Widget');

function reading(rows: readonly Row[]) {
  const index: IndexReader = {
    rows: async (query) => rows.filter(({ workflowId }) => workflowId.startsWith(/STARTS_WITH '([^']*)'/.exec(query)?.[1] ?? '')),
    describe: async (workflowId) => rows.find((one) => one.workflowId === workflowId),
  };
  return quickReading(index, builtIn);
}
const namesOf = (resources: readonly Resource[]) => resources.map(({ metadata }) => metadata.name);

describe('quickReading', () => {
  it('finds defined and built-in kinds by any name', async () => {
    const { resolveAll } = reading([definition]);
    for (const word of ['widgets', 'wd', 'Widget.example.com', 'requeststates', 'crd'])
      expect((await resolveAll(word)).map(({ names }) => names.plural)).toEqual([expect.stringMatching(/s$/)]);
  });

  it('finds all built-in kinds of one name', async () => {
    const found = await reading([]).resolveAll('applications');
    expect(found.map(({ kind }) => kind.group).sort()).toEqual(['app.colonies.io', 'cloudnative.elide.dev']);
  });

  it('lists sorted, by label and by namespace', async () => {
    const { resources, list } = reading([definition, w2, w1, row('widgets.example.com/other/w0', 'Widget')]);
    const widgets = resources('example.com/v1', 'Widget');
    expect(namesOf(await widgets.list())).toEqual(['w1', 'w2']);
    expect(namesOf(await widgets.list({ labels: 'app=shop' }))).toEqual(['w1']);
    expect(namesOf(await widgets.list({ allNamespaces: true }))).toEqual(['w1', 'w2', 'w0']);
    expect(namesOf(await list({ namespace: 'other' }))).toEqual(['w0']);
    expect((await widgets.get({ name: 'w1' })).metadata.labels).toEqual({ app: 'shop' });
  });

  it.each([
    { name: 'one is newer than its memo', change: { version: 8 } },
    { name: 'one is not whole in the memo', change: { memo: { ...w2.memo!, partial: true } } },
    { name: 'one has ended', change: { open: false } },
  ])('is unsure when $name', async ({ change }) => {
    const widgets = reading([definition, w1, { ...w2, ...change }]).resources('example.com/v1', 'Widget');
    await expect(widgets.get({ name: 'w2' })).rejects.toThrow(Unsure);
    if (!('open' in change)) await expect(widgets.list()).rejects.toThrow(Unsure);
  });

  it('is unsure about kinds it does not find, and names that are none', async () => {
    const { resolveAll, resources } = reading([definition]);
    await expect(resolveAll('gadgets')).rejects.toThrow(Unsure);
    await expect(resources('example.com/v2', 'Widget').list()).rejects.toThrow(Unsure);
    await expect(resources('example.com/v1', 'Widget').get({ name: 'nobody' })).rejects.toThrow(Unsure);
    await expect(resources('example.com/v1', 'Widget').list({ namespace: "x' OR 1=1" })).rejects.toThrow();
  });
});

describe('parseGet', () => {
  it('reads the plain spelling', () => {
    expect(parseGet(['get', 'widgets', 'w1', '-n', 'dev', '--output=json', '-A', '-l', 'a=b', '--no-headers', '--no-color'])).toEqual({
      args: ['widgets', 'w1'],
      options: { allNamespaces: true, selector: 'a=b', headers: false },
      globals: { namespace: 'dev', output: 'json', color: false },
    });
  });

  it.each([
    [['get']],
    [['get', 'x', '-w']],
    [['get', 'x', '-n']],
    [['get', 'x', '-ndev']],
    [['get', 'x', '--help']],
    [['get', 'x', '-A=1']],
    [['get', 'x', '--show-labels=no']],
    [['-n', 'dev', 'get', 'x']],
    [['describe', 'x']],
    [[]],
  ])('leaves %j to commander', (argv) => expect(parseGet(argv)).toBeUndefined());
});
