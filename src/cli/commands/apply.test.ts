import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Condition, Resource, Status } from '../../../definitions/core/resource.ts';
import { ready } from '../test-double/app.ts';
import { FakeColony } from '../test-double/colony.ts';
import { colonyCli } from '../test-double/run.ts';

const widget = (name: string, size: unknown = 1, namespace?: string): string =>
  [
    'apiVersion: example.com/v1',
    'kind: Widget',
    'metadata:',
    `  name: ${name}`,
    ...(namespace ? [`  namespace: ${namespace}`] : []),
    'spec:',
    `  size: ${size}`,
    '',
  ].join('\n');
const definition = `kind: ResourceDefinition
metadata:
  name: gadgets.example.com
spec:
  group: example.com
  version: v1
  names: {kind: Gadget, plural: gadgets}
  scope: Namespaced
  handler: {executorType: gadget-controller, functionName: reconcile_gadget}
`;
const gadget = 'apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: g1}\n';

let colony: FakeColony;
beforeEach(() => {
  colony = new FakeColony()
    .define('ResourceDefinition', 'colony.io', { scope: 'Cluster', shortNames: ['crd'] })
    .define('Widget', 'example.com', { spec: z.object({ size: z.number() }) });
});

const cli = (input: string, ...argv: string[]) => colonyCli(colony, argv, { input });

describe('colony apply', () => {
  it('says created, unchanged, configured', async () => {
    expect((await cli(widget('w1'), 'apply', '-f', '-')).out).toBe('widget.example.com/w1 created\n');
    expect((await cli(widget('w1'), 'apply', '-f', '-')).out).toBe('widget.example.com/w1 unchanged\n');
    expect((await cli(widget('w1', 2), 'apply', '-f', '-')).out).toBe('widget.example.com/w1 configured\n');
  });

  it('waits until all are ready, and says why one is not', async () => {
    colony.onLook = (looks) => {
      if (looks === 2) {
        const [w1] = [...colony.stored.values()];
        colony.stored.set('Widget/default/w1', { ...w1!, status: { conditions: [ready('True')] } });
      }
    };
    expect(await cli(widget('w1'), 'apply', '-f', '-', '--wait')).toEqual({
      code: 0,
      out: 'widget.example.com/w1 created\nwidget.example.com/w1 is ready: Everything is as the spec says\n',
      err: 'w1: generation 1 was not looked at yet\n',
    });
    const { code, err } = await cli(widget('w2'), 'apply', '-f', '-', '--wait', '--timeout', '10ms');
    expect([code, err]).toEqual([1, expect.stringContaining('No worker has looked at it yet.')]);
    expect((await cli(widget('w3'), 'apply', '-f', '-', '--wait', '--dry-run')).code).toBe(0);
  });

  it('applies definitions first, whatever their place', async () => {
    expect(await cli(`${gadget}---\n${definition}`, 'apply', '-f', '-')).toEqual({
      code: 0,
      err: '',
      out: 'resourcedefinition.colony.io/gadgets.example.com created\ngadget.example.com/g1 created\n',
    });
  });

  describe('of a List', () => {
    const item = (name: string, size: unknown, indent = '') =>
      widget(name, size)
        .trimEnd()
        .split('\n')
        .map((line, index) => `${indent}${index === 0 ? '- ' : '  '}${line}\n`)
        .join('');

    it.each(['apply', 'plan', 'diff'])('%s says which item is bad, and on which line each of its fields', async (verb) => {
      const list = `---\nkind: List\napiVersion: v1\nitems:\n${item('a', 1)}${item('b', 'big')}- kind: List\n  items:\n${item('c', 'huge', '  ')}`;
      const { code, err } = await cli(`${widget('first')}${list}`, verb, '-f', '-');
      expect(code).toBeGreaterThan(0);
      expect(err).toMatch(/^error: standard input, document 2, items\[1\]: Widget b is not valid:\n {2}spec\.size: .* \(line 22\)\n/);
      expect(err).toMatch(
        /\nerror: standard input, document 2, items\[2\]\.items\[0\]: Widget c is not valid:\n {2}spec\.size: .* \(line 30\)\n$/,
      );
    });

    it('says the line of the item when the field is not there, in JSON too', async () => {
      const nothing = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'b' } };
      const { err } = await cli(JSON.stringify({ kind: 'List', items: [nothing] }, null, 2), 'apply', '-f', '-');
      expect(err).toMatch(/^error: standard input, items\[0\]: Widget b is not valid:\n {2}spec\.size: .* \(line 4\)\n$/);
    });

    it('says what a definition without a name lacks, item by item', async () => {
      const { err } = await cli('kind: List\nitems:\n- kind: ResourceDefinition\n  spec:\n    group: 7\n', 'apply', '-f', '-');
      expect(err).toMatch(/^error: standard input, items\[0\]: ResourceDefinition is not valid:\n/);
      expect(err).toMatch(/ {2}spec\.group: .* \(line 5\)\n/);
    });
  });

  it.each(['apply', 'plan', 'diff'])(
    '%s says all that is wrong with a document without a proper name, and on which lines',
    async (verb) => {
      const text = widget('""', 'many').replace('spec:', '  labels: {a: b c}\nspec:');
      const { err } = await cli(text, verb, '-f', '-');
      expect(err).toMatch(
        /^error: standard input: Widget is not valid:\n {2}metadata\.name: .*got "".* \(line 4\)\n {2}metadata\.labels\.a: .* \(line 5\)\n {2}spec\.size: .* \(line 7\)\n$/,
      );
      expect((await cli(widget('w', 'many', '""'), verb, '-f', '-')).err).toMatch(/metadata\.namespace: .*\n {2}spec\.size: /);
    },
  );

  it('goes on after a bad document, says its line, and fails in the end', async () => {
    const { code, out, err } = await cli(`${widget('a')}---\n${widget('b', 'many')}---\n${widget('c')}---\na: [\n`, 'apply', '-f', '-');
    expect([code, out]).toEqual([1, 'widget.example.com/a created\nwidget.example.com/c created\n']);
    expect(err).toContain('error: standard input, document 4, line ');
    expect(err).toMatch(/error: standard input, document 2: Widget b is not valid:\n {2}spec\.size: .* \(line 13\)\n/);
  });

  it('keeps the order of the files in what it says and of documents of one resource in what it does', async () => {
    const many = Array.from({ length: 20 }, (_, i) => widget(`w${i}`)).join('---\n');
    const { out } = await cli(`${many}---\n${widget('w3', 9)}`, 'apply', '-f', '-');
    expect(out.trim().split('\n')).toEqual([
      ...Array.from({ length: 20 }, (_, i) => `widget.example.com/w${i} created`),
      'widget.example.com/w3 configured',
    ]);
    expect((await colonyCli(colony, ['get', 'widget/w3', '-o', 'jsonpath=.spec.size'])).out).toBe('9\n');
  });

  it('puts what names no namespace into the one of -n, and refuses another', async () => {
    await cli(widget('w1'), 'apply', '-f', '-', '-n', 'dev');
    expect((await colonyCli(colony, ['get', 'widgets', '-n', 'dev', '-o', 'name'])).out).toBe('widget.example.com/w1\n');
    const { code, err } = await cli(widget('w1', 1, 'prod'), 'apply', '-f', '-', '-n', 'dev');
    expect([code, err.includes('says namespace prod')]).toEqual([1, true]);
    expect((await cli(definition, 'apply', '-f', '-', '-n', 'dev')).code).toBe(0);
  });

  it('stores nothing in a dry run', async () => {
    expect((await cli(widget('w1'), 'apply', '-f', '-', '--dry-run')).out).toBe('widget.example.com/w1 created (dry run)\n');
    expect(colony.stored.size).toBe(0);
    expect((await cli(widget('w1'), 'apply', '-f', '-', '--dry-run=server', '-o', 'name')).out).toBe('widget.example.com/w1\n');
  });

  it('prints what is stored with -o', async () => {
    expect(JSON.parse((await cli(widget('w1'), 'apply', '-f', '-', '-o', 'json')).out)).toMatchObject({ metadata: { uid: 'uid-w1' } });
    expect(JSON.parse((await cli(`${widget('w1')}---\n${widget('w2')}`, 'apply', '-f', '-', '-o', 'json')).out)).toMatchObject({
      kind: 'List',
    });
  });

  it.each([[['apply']], [['apply', '-f', '/does/not/exist.yaml']], [['apply', '-f', '-', '-o', 'wide']]])(
    'refuses %j with exit code 2',
    async (argv) => {
      expect((await cli(widget('w1'), ...argv)).code).toBe(2);
    },
  );
});

describe('--dry-run', () => {
  it.each(['--dry-run', '--dry-run=client', '--dry-run=server', '--dry-run=true', '--dry-run='])('stores nothing with %s', async (flag) => {
    expect((await cli(widget('w1'), 'apply', '-f', '-', flag)).out).toBe('widget.example.com/w1 created (dry run)\n');
    expect(await colony.list()).toEqual([]);
  });

  it.each(['--dry-run=false', '--dry-run=none'])('is off with %s', async (flag) => {
    expect((await cli(widget('w1'), 'apply', '-f', '-', flag)).out).toBe('widget.example.com/w1 created\n');
    expect(await colony.list()).toHaveLength(1);
  });

  it.each([
    ['apply', widget('w1')],
    ['crd create', definition],
  ])('stores nothing and is wrong usage of %s with a word that it does not know', async (verb, text) => {
    const { code, err } = await cli(text, ...verb.split(' '), '-f', '-', '--dry-run=bogus');
    expect([code, err]).toEqual([2, 'error: --dry-run is "bogus"; it must be client, server, true or false\n']);
    expect(await colony.list()).toEqual([]);
  });
});

describe('colony create, resource create and resource update', () => {
  it('create refuses what exists', async () => {
    expect((await cli(widget('w1'), 'create', '-f', '-')).out).toBe('widget.example.com/w1 created\n');
    const { code, err } = await cli(widget('w1'), 'resource', 'create', '-f', '-');
    expect([code, err]).toEqual([1, 'error: standard input: Widget w1 exists already\nUse apply to change what exists.\n']);
  });

  it('update refuses what does not', async () => expect((await cli(widget('w1'), 'resource', 'update', '-f', '-')).code).toBe(1));
});

describe('colony crd', () => {
  it('prints what the ColonyOS documents print', async () => {
    expect((await cli(definition, 'crd', 'create', '-f', '-')).out).toBe(`Registering ResourceDefinition from file: standard input
ResourceDefinition Details:
  Name: gadgets.example.com
  Group: example.com
  Version: v1
  Kind: Gadget
  Handler Type: gadget-controller
  Handler Function: reconcile_gadget
✓ ResourceDefinition registered successfully
`);
    expect((await cli(definition, 'crd', 'create', '-f', '-')).code).toBe(1);
    expect((await cli('', 'crd', 'list', '-o', 'name')).out).toBe('resourcedefinition.colony.io/gadgets.example.com\n');
    expect((await cli('', 'crd', 'get', 'gadgets.example.com')).out).toContain('  Kind: Gadget\n');
    expect(JSON.parse((await cli('', 'crd', 'get', 'gadgets.example.com', '-o', 'json')).out)).toMatchObject({
      kind: 'ResourceDefinition',
    });
    expect((await cli('', 'crd', 'delete', 'gadgets.example.com')).out).toBe(
      'resourcedefinition.colony.io "gadgets.example.com" deleted\n',
    );
  });

  it('takes nothing but definitions', async () => expect((await cli(widget('w1'), 'crd', 'apply', '-f', '-')).code).toBe(2));
});

describe('colony diff', () => {
  it('shows what apply would change and says so by its exit code', async () => {
    await cli(widget('w1'), 'apply', '-f', '-');
    expect(await cli(widget('w1'), 'diff', '-f', '-')).toEqual({ code: 0, out: '', err: '' });
    expect(await cli(widget('w1', 2), 'diff', '-f', '-')).toEqual({
      code: 1,
      err: '',
      out: '--- widget.example.com/w1 (stored)\n+++ widget.example.com/w1 (applied)\n   labels: {}\n   annotations: {}\n spec:\n-  size: 1\n+  size: 2\n'.replace(
        'labels: {}\n   annotations: {}',
        'annotations: {}\n   labels: {}',
      ),
    });
    expect((await cli('a: [', 'diff', '-f', '-')).code).toBe(2);
  });

  it('shows the same as values, whole, and none when nothing differs', async () => {
    const values = async (text: string) => {
      const { code, out } = await cli(text, 'diff', '-f', '-', '-o', 'json');
      return [code, JSON.parse(out)];
    };
    await cli(widget('w1'), 'apply', '-f', '-');
    expect(await values(widget('w1'))).toEqual([0, { diff: [] }]);
    const metadata = { labels: {}, annotations: {} };
    const w1 = { resource: 'widget.example.com/w1', operation: 'changed', before: { metadata, spec: { size: 1 } } };
    const w2 = { resource: 'widget.example.com/w2', operation: 'created', after: { metadata, spec: { size: 7 } } };
    expect(await values(`${widget('w1', 2)}---\n${widget('w2', 7)}`)).toEqual([
      1,
      { diff: [{ ...w1, after: { metadata, spec: { size: 2 } } }, w2] },
    ]);
    expect((await cli(widget('w1', 2), 'diff', '-f', '-', '-o', 'yaml')).out).toContain('- resource: widget.example.com/w1\n');
  });

  it('shows finalizers and owners too: apply changes them', async () => {
    await cli(widget('w1'), 'apply', '-f', '-');
    const [owner] = [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'w0', uid: 'u0' }];
    const text = JSON.stringify({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w1', finalizers: ['example.com/hold'], ownerReferences: [owner] },
      spec: { size: 1 },
    });
    const { code, out } = await cli(text, 'diff', '-f', '-');
    expect(code).toBe(1);
    expect(out).toMatch(/\n\+ +finalizers:\n\+ +- example\.com\/hold\n/);
    expect(out).toMatch(/\n\+ +ownerReferences:\n/);
  });

  it('refuses a format that it does not know, before it asks anybody', async () => {
    const { code, out, err } = await cli(widget('w1', 2), 'diff', '-f', '-', '-o', 'bogus');
    expect([code, out, err]).toEqual([2, '', 'error: -o bogus is not known here; use one of table, json, yaml\n']);
  });
});

describe('colony set', () => {
  it('changes all fields in one write and repeats it after a conflict', async () => {
    colony = new FakeColony().define('Widget', 'example.com').put({ kind: 'Widget', name: 'w1', spec: { size: 1, note: 'old' } });
    colony.conflicts = 2;
    const { code, out } = await cli('', 'set', 'widget/w1', 'spec.size=3', 'spec.deep.er="3"', 'spec.note-', 'metadata.labels.app=shop');
    expect([code, out]).toEqual([0, 'widget.example.com/w1 configured (generation 2)\n']);
    const [stored] = await colony.list();
    expect([stored?.spec, stored?.metadata.labels]).toEqual([{ size: 3, deep: { er: '3' } }, { app: 'shop' }]);
  });

  it('says how a name with dots is written, and takes it so', async () => {
    const { code, err } = await cli('', 'set', 'widget/w1', 'metadata.annotations.colony.io/adopt=true');
    expect([code, err]).toEqual([
      2,
      expect.stringContaining(`A name with dots stands in brackets: 'metadata.annotations["colony.io/adopt"]=true'`),
    ]);
    expect((await cli('', 'set', 'widget/w1', 'metadata.labels.a.b-')).err).toContain(`'metadata.labels["a.b"]-'`);
    colony = new FakeColony().define('Widget', 'example.com').put({ kind: 'Widget', name: 'w1' });
    expect((await cli('', 'set', 'widget/w1', 'metadata.labels["a.b/c"]=d')).code).toBe(0);
    expect((await colony.list())[0]?.metadata.labels).toEqual({ 'a.b/c': 'd' });
    expect((await cli('', 'set', '--help')).out).toContain(`'metadata.annotations["example.com/team"]=shop'`);
  });

  it.each([
    [['widget/w1']],
    [['widget/w1', 'status.a=1']],
    [['widget/w1', 'spec-x=3']],
    [['widget/w1', 'metadata.labels-x=3']],
    [['widget/w1', 'size']],
    [['widget', 'spec.a=1']],
  ])('refuses %j', async (argv) => {
    expect((await cli('', 'set', ...argv)).code).toBe(2);
  });
});

describe('colony apply of a definition without a name', () => {
  it('says all that it lacks, not the name alone', async () => {
    const { code, err } = await cli('kind: ResourceDefinition\nmetadata: {}\nspec:\n  group: UPPER\n', 'crd', 'apply', '-f', '-');
    expect(code).toBe(1);
    expect(err).toMatch(/^error: standard input: ResourceDefinition is not valid:\n {2}metadata\.name: is required/);
    for (const field of ['spec.group', 'spec.version', 'spec.names', 'spec.scope', 'spec.handler']) expect(err).toContain(`\n  ${field}: `);
    expect(err).toContain(' (line 4)\n');
  });
});

describe('colony apply of a definition that changes', () => {
  const changed = definition.replace('v1', 'v2');
  const fitting = (status: Condition['status'], message: string): Condition => ({
    ...ready('True'),
    type: 'InstancesFit',
    status,
    reason: 'Looked',
    message,
  });
  /** The definition as workers show it, from one look to the next. */
  const shown = (...statuses: Status[]) => {
    const { resources } = colony;
    colony.resources = (...kind) => ({
      ...resources.apply(colony, kind),
      get: async () => {
        const found = colony.stored.get('ResourceDefinition/default/gadgets.example.com') as Resource;
        return { ...found, status: (statuses.length > 1 ? statuses.shift() : statuses[0]) as Status };
      },
    });
  };
  const before = { observedGeneration: 1, conditions: [fitting('True', 'All instances fit the schema.')] };

  it('warns of resources that no longer fit, once they were looked at', async () => {
    await cli(definition, 'apply', '-f', '-');
    shown(before, { observedGeneration: 2, conditions: [fitting('False', 'No longer fit: default/a, default/b.')] });
    expect(await cli(changed, 'crd', 'apply', '-f', '-')).toEqual({
      code: 0,
      out: 'resourcedefinition.colony.io/gadgets.example.com configured\n',
      err: 'warning: No longer fit: default/a, default/b. See what is wrong with them: colony describe crd/gadgets.example.com\n',
    });
  });

  it('has nothing to say while all fit, nor of one that is new, unchanged or only tried', async () => {
    shown({ observedGeneration: 9, conditions: [fitting('False', 'No longer fit: default/a.')] });
    expect((await cli(definition, 'apply', '-f', '-')).err).toBe('');
    expect((await cli(definition, 'apply', '-f', '-')).err).toBe('');
    expect((await cli(changed, 'apply', '-f', '-', '--dry-run')).err).toBe('');
    shown({ observedGeneration: 2, conditions: [fitting('True', 'All instances fit the schema.')] });
    expect((await cli(changed, 'apply', '-f', '-')).err).toBe('');
  });

  it('says where it will be told when nobody knows soon', async () => {
    await cli(definition, 'apply', '-f', '-');
    shown(before);
    expect((await cli(changed, 'apply', '-f', '-')).err).toMatch(
      /^warning: whether its resources still fit is not known yet; it will be told by colony describe crd\/gadgets\.example\.com\n$/,
    );
  });
});
