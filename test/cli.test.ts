import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloneRoot } from '../src/config.ts';
import { leaseNamespace, startWorker, type TestWorker, temporalAddress } from './support/temporal.ts';

/** The built command line as a person runs it, against a real server and a real worker. */
const namespace = leaseNamespace();
const program = join(cloneRoot(), 'dist', 'cli.mjs');
let worker: TestWorker;
let folder: string;

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const env = () => ({
  PATH: process.env.PATH,
  HOME: folder,
  COLONY_HOME: folder,
  TEMPORAL_ADDRESS: temporalAddress(),
  TEMPORAL_NAMESPACE: namespace,
});

type Given = { readonly input?: string; readonly more?: object };

const colony = (argv: readonly string[], given: Given = {}): Promise<Ran> => node([program, ...argv], given);

/** What a command says on stderr when it takes longer than two seconds, as on a busy machine it may. */
const PROGRESS = /^waiting for .* … \(\d+s\)\n/gm;

function node(argv: readonly string[], { input, more = {} }: Given = {}): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { env: { ...env(), ...more }, cwd: folder, maxBuffer: 64e6 };
    const child = execFile(process.execPath, [...argv], options, (_error, out, said) =>
      resolve({ code: child.exitCode, out, err: said.replace(PROGRESS, '') }),
    );
    child.stdin?.end(input ?? '');
  });
}

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return name;
};

const definition = (kind: string, more = '  handler: null'): string => `apiVersion: colonies.io/v1
kind: ResourceDefinition
metadata:
  name: ${kind.toLowerCase()}s.example.com
spec:
  group: example.com
  version: v1
  names: {kind: ${kind}, plural: ${kind.toLowerCase()}s, shortNames: [${kind.toLowerCase().slice(0, 3)}]}
  scope: Namespaced
  schema:
    type: object
    required: [size]
    properties:
      size: {type: integer, minimum: 1}
      colour: {type: string, enum: [red, green], default: red, description: What one sees.}
      note: {type: string}
${more}
`;
const resource = (kind: string, name: string, spec = '{size: 1}', metadata = ''): string =>
  `apiVersion: example.com/v1\nkind: ${kind}\nmetadata: {name: ${name}${metadata}}\nspec: ${spec}\n`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'colony-cli-'));
  worker = await startWorker(namespace, { config: { scheduleToStartMs: 300 } });
  const { code, err } = await colony(['crd', 'create', '-f', file('widget.yaml', definition('Widget'))]);
  expect([code, err]).toEqual([0, '']);
});
afterAll(async () => {
  await worker.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('definitions', () => {
  it('are registered with the words of the ColonyOS documents, listed, shown and explained', async () => {
    const handler = '  handler: {executorType: gadget-controller, functionName: reconcile_gadget}';
    const created = await colony(['crd', 'create', '-f', file('gadget.yaml', definition('Gadget', handler))]);
    expect(created).toEqual({
      code: 0,
      err: '',
      out: `Registering ResourceDefinition from file: gadget.yaml
ResourceDefinition Details:
  Name: gadgets.example.com
  Group: example.com
  Version: v1
  Kind: Gadget
  Handler Type: gadget-controller
  Handler Function: reconcile_gadget
✓ ResourceDefinition registered successfully
`,
    });
    expect((await colony(['crd', 'create', '-f', 'gadget.yaml'])).code).toBe(1);
    expect((await colony(['crd', 'apply', '-f', 'gadget.yaml'])).out).toBe(
      'resourcedefinition.colonies.io/gadgets.example.com unchanged\n',
    );
    expect((await colony(['crd', 'list'])).out).toContain('gadgets.example.com');
    expect((await colony(['crd', 'get', 'gadgets.example.com'])).out).toContain('  Handler Type: gadget-controller\n');
    expect((await colony(['kinds'])).out).toMatch(/gadgets +gad +example\.com\/v1 +true +Gadget/);
    expect((await colony(['explain', 'gadget.spec'])).out).toMatch(/colour +string +"red" \| "green"; default "red"; What one sees\./);
    expect((await colony(['crd', 'delete', 'gadgets.example.com'])).out).toBe(
      'resourcedefinition.colonies.io "gadgets.example.com" deleted\n',
    );
  });

  it('of built-in kinds are accepted and change nothing', async () => {
    const text = definition('RequestState')
      .replaceAll('example.com', 'com.redhat.ecosystem.sample')
      .replace('shortNames: [req]', 'shortNames: [rs]');
    const { code, out, err } = await colony(['crd', 'create', '-f', '-'], { input: text });
    expect(code).toBe(0);
    expect(out + err).toMatch(/colony handles .*itself|built in/i);
  });

  it('of a kind whose plain name is that of a built-in one say so, and so does what is then not found', async () => {
    const text = definition('Workflow').replaceAll('example.com', 'example.net').replace('shortNames: [wor]', 'shortNames: []');
    const created = await colony(['crd', 'create', '-f', '-'], { input: text });
    expect([created.code, created.err]).toEqual([0, expect.stringContaining('; for this kind say workflows.example.net\n')]);
    const argo = resource('Workflow', 'argo1').replace('example.com', 'example.net');
    expect((await colony(['apply', '-f', '-'], { input: argo })).code).toBe(0);
    const { code, err } = await colony(['get', 'workflow/argo1']);
    expect([code, err]).toEqual([1, expect.stringContaining('the other kind of that name is workflows.example.net\n')]);
    expect((await colony(['get', 'workflows.example.net/argo1', '-o', 'name'])).out).toBe('workflow.example.net/argo1\n');
    expect((await colony(['delete', 'workflows.example.net/argo1'])).code).toBe(0);
  });

  it('cannot go while there are resources', async () => {
    await colony(['apply', '-f', '-'], { input: resource('Widget', 'holds') });
    const { code, err } = await colony(['crd', 'delete', 'widgets.example.com']);
    expect([code, err]).toEqual([1, expect.stringMatching(/resources? of kind Widget/)]);
  });
});

describe('apply', () => {
  it('takes a folder with definitions, YAML and JSON, and goes on after bad documents', async () => {
    mkdirSync(join(folder, 'many', 'deep'), { recursive: true });
    file(
      'many/a.yaml',
      `${resource('Pot', 'p1')}---\n${resource('Pot', 'p2', '\n  size: 0\n  weight: 3')}---\n${resource('Pot', 'p3', '&x {size: 1}')}`,
    );
    file('many/deep/b.json', JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Pot', metadata: { name: 'p4' }, spec: { size: 4 } }));
    file('many/z.yaml', definition('Pot'));
    const { code, out, err } = await colony(['apply', '-f', 'many', '-R', '-n', 'folder']);
    expect(code).toBe(1);
    expect(out.split('\n')).toEqual([
      'resourcedefinition.colonies.io/pots.example.com created',
      'pot.example.com/p1 created',
      'pot.example.com/p3 created',
      'pot.example.com/p4 created',
      '',
    ]);
    expect(err).toMatch(
      /^error: many\/a\.yaml, document 2: Pot p2 in folder is not valid:\n {2}spec\.size: .* \(line 10\)\n {2}spec\.weight: .* \(line 11\)\n$/,
    );
    expect((await colony(['get', 'pots', '-n', 'folder', '-o', 'name'])).out).toBe(
      'pot.example.com/p1\npot.example.com/p3\npot.example.com/p4\n',
    );
    expect((await colony(['apply', '-f', 'many/deep/b.json', '-n', 'folder'])).out).toBe('pot.example.com/p4 unchanged\n');
    const gone = await colony(['delete', '-f', 'many', '-R', '-n', 'folder', '--ignore-not-found']);
    expect([gone.code, gone.out.trim().split('\n').at(-1)]).toEqual([0, 'resourcedefinition.colonies.io "pots.example.com" deleted']);
  });

  it('refuses what YAML can hide', async () => {
    const { code, err } = await colony(['apply', '-f', '-'], {
      input: `a: &a [1]\nb: [*a, *a]\n---\n${resource('Widget', 'x', '{size: 1, size: 2}')}`,
    });
    expect([code, err.split('\n').length]).toEqual([1, 3]);
    expect((await colony(['get', 'widget/x'])).code).toBe(1);
  });

  it('creates, diffs and dry-runs', async () => {
    const path = file('diff.yaml', resource('Widget', 'diff', '{size: 1}'));
    expect((await colony(['apply', '-f', path, '--dry-run'])).out).toBe('widget.example.com/diff created (dry run)\n');
    expect((await colony(['get', 'widget/diff'])).code).toBe(1);
    expect((await colony(['diff', '-f', path])).code).toBe(1);
    expect((await colony(['create', '-f', path])).out).toBe('widget.example.com/diff created\n');
    expect(await colony(['diff', '-f', path])).toEqual({ code: 0, out: '', err: '' });
    expect((await colony(['create', '-f', path])).err).toMatch(/^error: diff\.yaml: .*exists/);
    file('diff.yaml', resource('Widget', 'diff', '{size: 2}'));
    const { code, out } = await colony(['diff', '-f', path]);
    expect([code, out.includes('-  size: 1\n+  size: 2\n')]).toEqual([1, true]);
    expect((await colony(['resource', 'update', '-f', path])).out).toBe('widget.example.com/diff configured\n');
  });

  it('says which item of a List is bad, and on which line', async () => {
    const items = ['{size: 1}', '{size: 0, colour: blue}'].map((spec, index) => resource('Widget', `item${index}`, spec));
    const input = `kind: List\nitems:\n${items.map((item) => `- ${item.trimEnd().replaceAll('\n', '\n  ')}\n`).join('')}`;
    const { code, out, err } = await colony(['apply', '-f', '-'], { input });
    expect([code, out]).toEqual([1, 'widget.example.com/item0 created\n']);
    expect(err).toMatch(/^error: standard input, items\[1\]: .*\n {2}spec\.size: .* \(line 10\)\n {2}spec\.colour: .* \(line 10\)\n/);
    expect((await colony(['delete', 'widget/item0'])).code).toBe(0);
  });

  it('takes back what get -o yaml printed', async () => {
    await colony(['apply', '-f', '-'], { input: resource('Widget', 'again') });
    const { out } = await colony(['get', 'widget/again', '-o', 'yaml']);
    const { code, out: said, err } = await colony(['apply', '-f', '-'], { input: out });
    expect([code, said, err]).toEqual([0, 'widget.example.com/again unchanged\n', '']);
  });
});

describe('get', () => {
  const ns = ['-n', 'shelf'];
  beforeAll(async () => {
    const input = ['a', 'b', 'c']
      .map((name) => resource('Widget', name, '{size: 2, note: "\\e[31mred"}', `, labels: {name: ${name}}`))
      .join('---\n');
    expect((await colony(['apply', '-f', '-', ...ns], { input })).code).toBe(0);
    expect((await colony(['wait', 'widgets', '--all', '--for=condition=Ready', ...ns])).code).toBe(0);
  });

  it.each([
    { argv: ['widgets'] },
    { argv: ['wid', '-A', '-o', 'wide', '--show-labels'] },
    { argv: ['widget', 'a', 'b'] },
    { argv: ['widget/a', '-o', 'json'] },
    { argv: ['widgets', '-l', 'name in (a,c)', '-o', 'json'] },
    { argv: ['all', '-o', 'name'] },
    { argv: ['crd', '--no-headers'] },
    { argv: ['widget/a', '-o', 'yaml'] },
    { argv: ['widget/nobody'] },
    { argv: ['nothing'] },
    { argv: ['widgets', '-l', 'a b'] },
  ])('says the same on the quick way and on the whole one: $argv', async ({ argv }) => {
    const quick = await colony(['get', ...argv, ...ns]);
    const whole = await colony([...ns, 'get', ...argv]);
    const timeless = ({ out, ...rest }: Ran) => ({ ...rest, out: out.replace(/\b\d+s\b */g, 'age ') });
    expect(timeless(quick)).toEqual(timeless(whole));
    expect(quick.out).not.toContain('\u001b');
  });

  it('answers in quick.cjs alone, with the code that V8 made of it', async () => {
    const dist = JSON.stringify(join(cloneRoot(), 'dist'));
    const script = `
      const { readFileSync } = require('node:fs');
      const cachedData = readFileSync(${dist} + '/quick.v8').subarray(64);
      const source = require('node:module').wrap(readFileSync(${dist} + '/quick.cjs', 'latin1'));
      if (new (require('node:vm').Script)(source, { cachedData }).cachedDataRejected) process.exit(8);
      require(${dist} + '/quick.cjs').quick(['get', 'widgets', '-n', 'shelf', '-o', 'name']).then(() => process.exit(9));`;
    const { code, out } = await node(['--eval', script]);
    expect([code, out]).toEqual([0, 'widget.example.com/a\nwidget.example.com/b\nwidget.example.com/c\n']);
  });

  it('prints YAML and descriptions', async () => {
    const all = await colony(['get', 'widgets', '-o', 'yaml', ...ns]);
    expect([all.code, all.err, all.out]).toEqual([0, '', expect.stringMatching(/^apiVersion: v1\nkind: List\nitems:\n {2}- apiVersion: /)]);
    const one = await colony(['get', 'widget/a', '-o', 'yaml', ...ns]);
    expect([one.code, one.err, one.out]).toEqual([0, '', expect.stringMatching(/^apiVersion: example\.com\/v1\nkind: Widget\n/)]);
    const described = await colony(['describe', 'widget/a', ...ns]);
    expect([described.code, described.err]).toEqual([0, '']);
    for (const line of [/^Name: +a$/m, /^Labels: +name=a$/m, /^ {2}size: 2$/m, /Ready/]) expect(described.out).toMatch(line);
  });

  it('watches, and ends with 0 at Ctrl-C', async () => {
    const child = spawn(process.execPath, [program, 'watch', 'widgets', ...ns], { env: env(), stdio: ['ignore', 'pipe', 'inherit'] });
    const said = collect(child);
    await said.until((text) => text.includes('ADDED      c'));
    await colony(['set', 'widget/b', 'spec.size=9', ...ns]);
    await said.until((text) => /MODIFIED +b/.test(text));
    await colony(['delete', 'widget/c', ...ns]);
    await said.until((text) => /DELETED +c/.test(text));
    child.kill('SIGINT');
    expect(await said.code).toBe(0);
  });

  it('is not upset by a reader that leaves', async () => {
    const child = spawn('sh', ['-c', `"${process.execPath}" "${program}" get widgets -A -o json | head -1; echo "\${PIPESTATUS:-ok}"`], {
      env: env(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = collect(child);
    expect(await said.code).toBe(0);
    expect(said.text()).toMatch(/^\{\n/);
  });
});

function collect(child: ChildProcess) {
  let text = '';
  let look = (): void => {};
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    look();
  });
  return {
    text: () => text,
    code: new Promise<number | null>((resolve) => child.on('close', resolve)),
    until: (isThere: (text: string) => boolean) =>
      new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`not said in 20 s; said was:\n${text}`)), 20_000);
        look = () => {
          if (!isThere(text)) return;
          clearTimeout(timer);
          resolve();
        };
        look();
      }),
  };
}

describe('a name that two kinds share', () => {
  beforeAll(async () => {
    const both = [definition('Gear'), resource('Gear', 'here'), resource('Gear', 'both')].join('---\n');
    const other = [definition('Gear'), resource('Gear', 'both')].join('---\n').replaceAll('example.com', 'example.org');
    const { code, err } = await colony(['apply', '-f', '-'], { input: `${both}---\n${other}` });
    expect([code, err]).toEqual([0, '']);
  });

  it('lists and shows what there is of each', async () => {
    expect((await colony(['get', 'gears', '-o', 'name'])).out.split('\n').sort()).toEqual([
      '',
      'gear.example.com/both',
      'gear.example.com/here',
      'gear.example.org/both',
    ]);
    expect((await colony(['get', 'gear/here', '-o', 'name'])).out).toBe('gear.example.com/here\n');
    expect((await colony(['get', 'gear/both', '-o', 'name'])).out).toBe('gear.example.com/both\ngear.example.org/both\n');
  });

  it('means the one that is there, and asks when both are', async () => {
    expect((await colony(['set', 'gear/here', 'spec.size=2'])).code).toBe(0);
    const asked = await colony(['delete', 'gear/both']);
    expect([asked.code, asked.err]).toEqual([1, expect.stringContaining('Say which: gears.example.com, gears.example.org.')]);
    const missed = await colony(['describe', 'gear/nobody']);
    expect([missed.code, missed.err]).toEqual([1, expect.stringContaining('no Gear is called nobody in namespace default')]);
    expect((await colony(['delete', 'gear/here', 'gear.example.org/both'])).code).toBe(0);
    expect((await colony(['get', 'gears', '-o', 'name'])).out).toBe('gear.example.com/both\n');
  });

  it('is watched, described, waited for and deleted of both', async () => {
    const watch = spawn(process.execPath, [program, 'get', 'gears', '-w'], { env: env(), stdio: ['ignore', 'pipe', 'inherit'] });
    const said = collect(watch);
    await said.until((text) => text.includes('gear.example.com/both'));
    const input = [resource('Gear', 'both'), resource('Gear', 'there')].join('---\n').replaceAll('example.com', 'example.org');
    expect(await colony(['apply', '-f', '-'], { input })).toMatchObject({ code: 0, err: '' });
    await said.until((text) => text.includes('gear.example.org/both') && text.includes('gear.example.org/there'));
    watch.kill('SIGINT');
    expect(await said.code).toBe(0);
    const waited = await colony(['wait', 'gear/both', '--for=condition=Ready']);
    expect([waited.code, waited.out]).toEqual([0, 'gear.example.com/both condition met\ngear.example.org/both condition met\n']);
    const described = await colony(['describe', 'gear/both']);
    expect(described.out.match(/^Kind: .*/gm)).toEqual(['com', 'org'].map((end) => `Kind:         Gear (example.${end}/v1)`));
    const deleted = await colony(['delete', 'gears', '--all']);
    expect([deleted.code, deleted.out.split('\n').sort()]).toEqual([
      0,
      ['', 'gear.example.com "both" deleted', 'gear.example.org "both" deleted', 'gear.example.org "there" deleted'],
    ]);
    expect((await colony(['wait', 'gear/both', '--for=delete'])).code).toBe(0);
  });
});

describe('the life of a resource', () => {
  it('is set, paused, rolled back, told and deleted', async () => {
    await colony(['apply', '-f', '-'], { input: resource('Widget', 'life') });
    expect((await colony(['set', 'widget/life', 'spec.size=5', 'spec.note=hello', 'metadata.labels.app=shop'])).out).toBe(
      'widget.example.com/life configured (generation 2)\n',
    );
    expect((await colony(['set', 'widget/life', 'spec.note-'])).code).toBe(0);
    expect((await colony(['set', 'widget/life', 'metadata.finalizers=["example.com/hold"]'])).code).toBe(0);
    expect((await colony(['set', 'widget/life', 'metadata.finalizers-', 'metadata.labels-'])).out).toContain(' configured ');
    expect(JSON.parse((await colony(['get', 'widget/life', '-o', 'json'])).out).metadata).toMatchObject({ labels: {}, finalizers: [] });
    expect((await colony(['set', 'widget/life', 'spec.size=0'])).err).toMatch(/\n {2}spec\.size: /);
    expect((await colony(['history', 'widget/life'])).out).toMatch(
      /1 .* created\n2 .* spec\.note: "hello", spec\.size: 1 → 5\n3 .* spec\.note removed\n/,
    );
    expect((await colony(['history', 'widget/life', '--revision', '2'])).out).toContain('note: hello\n');
    expect((await colony(['rollback', 'widget/life', '--to', '1'])).out).toContain('(generation 4)');
    expect((await colony(['get', 'widget/life', '-o', 'jsonpath=.spec.size'])).out).toBe('1\n');
    expect((await colony(['pause', 'widget/life'])).out).toBe('widget.example.com/life paused\n');
    expect((await colony(['describe', 'widget/life'])).out).toContain('colony resume widget/life');
    expect((await colony(['resume', 'widget/life'])).out).toBe('widget.example.com/life resumed\n');
    expect((await colony(['resume', 'widget/life'])).out).toBe('widget.example.com/life was not paused\n');
    expect((await colony(['reconcile', 'widget/life', '--force'])).code).toBe(0);
    expect((await colony(['events', 'widget/life'])).out).toContain('generation 4 accepted');
    expect((await colony(['command', 'widget/life', 'dance'])).code).toBe(1);
    expect((await colony(['resource', 'get', 'life'])).out).toContain('widget.example.com/life');
    expect((await colony(['wait', 'widget/life', '--for=jsonpath=.status.phase=Ready'])).code).toBe(0);
    expect((await colony(['resource', 'delete', 'life'])).out).toBe('widget.example.com "life" deleted\n');
    expect((await colony(['delete', 'widget/life'])).code).toBe(1);
    expect((await colony(['delete', 'widget/life', '--ignore-not-found'])).code).toBe(0);
  });

  it('says why it is stuck, and goes by force', async () => {
    await colony([
      'crd',
      'apply',
      '-f',
      file('stuck.yaml', definition('Stuck', '  handler: {executorType: nobody-here, functionName: reconcile}')),
    ]);
    await colony(['apply', '-f', '-'], { input: resource('Stuck', 's1') });
    expect((await colony(['wait', 'stuck/s1', '--for=condition=ExecutorUnavailable', '--timeout', '20s'])).code).toBe(0);
    const { code, err } = await colony(['wait', 'stuck/s1', '--for=condition=Ready', '--timeout', '500ms']);
    expect([code, err]).toEqual([1, expect.stringContaining('Start an executor on that queue')]);
    expect((await colony(['describe', 'stuck/s1'])).out).toMatch(/Why it is not ready:\n {2}ExecutorUnavailable: /);
    expect((await colony(['delete', 'stuck/s1', '--no-wait'])).out).toBe('stuck.example.com "s1" is being deleted\n');
    expect((await colony(['delete', 'stuck/s1', '--timeout', '1s'])).code).toBe(1);
    expect((await colony(['describe', 'stuck/s1'])).out).toContain('colony delete stuck/s1 --force');
    const forced = await colony(['delete', 'stuck/s1', '--force']);
    expect([forced.code, forced.out, forced.err]).toEqual([
      0,
      'stuck.example.com "s1" force deleted\n',
      expect.stringMatching(/^left behind: .*nobody-here/),
    ]);
    expect((await colony(['crd', 'delete', 'stucks.example.com'])).code).toBe(0);
  });
});

describe('a resource whose definition is gone', () => {
  const left = (group: string) =>
    ['one', 'two', 'three', 'four', 'five', 'six'].map((name) => resource('Relic', name).replace('example.com', group));
  beforeAll(async () => {
    const both = ['example.com', 'example.org'].flatMap((group) => [definition('Relic').replaceAll('example.com', group), ...left(group)]);
    expect(await colony(['apply', '-f', '-'], { input: both.join('---\n') })).toMatchObject({ code: 0, err: '' });
    for (const group of ['example.com', 'example.org'])
      expect((await colony(['crd', 'delete', `relics.${group}`, '--force'])).code).toBe(0);
  });

  it('is shown and deleted by every name that colony prints and uses itself', async () => {
    file('five.yaml', left('example.com')[4]!);
    expect((await colony(['describe', 'relic.example.com/one'])).out).toContain('Relic');
    for (const argv of [
      ['delete', 'relic.example.com/one', '--force'],
      ['delete', 'Relic.example.com/two', '--force'],
      ['delete', 'relics.example.com/three', '--force'],
      ['delete', 'relics.v1.example.com/four', '--force'],
      ['delete', '-f', 'five.yaml', '--force'],
    ]) {
      const { code, err } = await colony(argv);
      expect([argv, code, err]).toEqual([argv, 0, expect.not.stringContaining('error')]);
    }
    expect((await colony(['resource', 'list', '-o', 'name'])).out.match(/relic\..*/g)).toHaveLength(7);
  });

  it('is asked about when two such kinds share its name, and needs no group when only one has it', async () => {
    const asked = await colony(['delete', 'relic/six', '--force']);
    expect([asked.code, asked.err]).toEqual([1, expect.stringContaining('Say which: relics.example.com, relics.example.org.')]);
    expect((await colony(['delete', 'relic/one', '--force'])).out).toBe('relic.example.org "one" force deleted\n');
    expect((await colony(['delete', 'Relic/two', '--force'])).out).toBe('relic.example.org "two" force deleted\n');
    expect((await colony(['resource', 'delete', 'three', '--force'])).code).toBe(0);
    expect((await colony(['delete', 'rel/four', '--force'])).out).toBe('relic.example.org "four" force deleted\n');
  });
});

describe('the ways it ends', () => {
  it('is well with a worker, says so, and knows its version', async () => {
    // It measures, and other tests run beside this one: how slow the server is at an instant is not what is tested.
    const findings = async (): Promise<string> => {
      const { code, out } = await colony(['doctor']);
      return `${code}: ${out
        .split('\n')
        .filter((line) => line.includes('✗'))
        .join('; ')}`;
    };
    await expect.poll(findings, { timeout: 50_000 }).toBe('0: ');
    expect(JSON.parse((await colony(['doctor', '-o', 'json'])).out).items).toContainEqual(
      expect.objectContaining({ check: 'queries', state: 'ok' }),
    );
    expect((await colony(['version'])).out).toMatch(/^colony \d+\.\d+\.\d+ \(Node\.js .*\)\nTemporal \d/);
  });

  it('says in one sentence that nobody is there, and what to do', async () => {
    for (const argv of [
      ['get', 'widgets'],
      ['apply', '-f', 'widget.yaml'],
      ['describe', 'widget/x'],
    ]) {
      const { code, out, err } = await colony([...argv, '--address', '127.0.0.1:1']);
      expect([code, out, err.split('\n').length]).toEqual([1, '', 3]);
      expect(err).toMatch(/^error: .*127\.0\.0\.1:1/);
    }
    expect((await colony(['doctor', '--address', '127.0.0.1:1'])).code).toBe(1);
  });

  it('says which Temporal namespace there is not', async () => {
    for (const argv of [
      ['get', 'rs'],
      ['get', 'rs/x'],
      ['apply', '-f', 'widget.yaml'],
    ]) {
      const { code, err } = await colony(['--temporal-namespace', 'nope', ...argv]);
      const said = /^error: (widget\.yaml: )?Temporal has no namespace "nope"\nCreate it, or set TEMPORAL_NAMESPACE\.\n$/;
      expect([argv, code, err]).toEqual([argv, 1, expect.stringMatching(said)]);
    }
  });

  it('ends with 2 for a line it cannot read, and 0 for help', async () => {
    for (const argv of [
      ['gte'],
      ['get'],
      ['get', 'widgets', '-o', 'xml'],
      ['apply'],
      ['wait', 'widget/x'],
      ['get', 'widgets', '--nothing'],
    ]) {
      const { code, err } = await colony(argv);
      expect([argv, code, err.startsWith('error: ')]).toEqual([argv, 2, true]);
    }
    for (const argv of [[], ['--help'], ['get', '--help'], ['help', 'apply']]) expect((await colony(argv)).code).toBe(0);
  });

  it('says which setting is wrong', async () => {
    const { code, err } = await colony(['get', 'widgets'], { more: { TEMPORAL_ADDRESS: 'nonsense' } });
    expect([code, err]).toEqual([1, expect.stringContaining('TEMPORAL_ADDRESS')]);
  });
});
