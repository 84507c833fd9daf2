import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../usage-error.ts';
import { readManifests } from './manifests.ts';

const widget = (name: string, more = ''): string =>
  `apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: ${name}\nspec:\n  size: 1\n${more}`;
const fromStdin = (text: string) => readManifests({ files: ['-'], recursive: false, stdin: async () => text });
const namesOf = async (text: string) => (await fromStdin(text)).documents.map(({ manifest }) => manifest.metadata.name);
const problemOf = async (text: string) => (await fromStdin(text)).broken.map(({ problem }) => problem).join('\n');

describe('readManifests from standard input', () => {
  it('reads several YAML documents and passes over empty ones', async () => {
    expect(await namesOf(`# a comment\n---\n${widget('a')}---\n\n# nothing\n---\n${widget('b')}...\n---\n${widget('c')}`)).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  it('reads JSON, also several values one after the other', async () => {
    const json = (name: string) => JSON.stringify({ apiVersion: 'v/v1', kind: 'K', metadata: { name } }, null, '\t');
    expect(await namesOf(`${json('a')}\n${json('b')}`)).toEqual(['a', 'b']);
  });

  it.each([
    { name: 'without quotes', text: '{kind: K, apiVersion: v/v1, metadata: {name: a}, spec: {s: aaa}}' },
    { name: 'with some', text: '{"kind": K, "apiVersion": \'v/v1\', "metadata": {"name": a}}' },
    { name: 'over lines, with a comment', text: '{ # one\n  kind: K,\n  apiVersion: v/v1,\n  metadata: {name: a},\n}\n' },
    { name: 'as a List', text: '{kind: List, items: [{kind: K, apiVersion: v/v1, metadata: {name: a}}]}' },
  ])("reads YAML's flow style $name", async ({ text }) => {
    expect(await namesOf(text)).toEqual(['a']);
    expect(await namesOf(`${text}\n---\n${widget('b')}`)).toEqual(['a', 'b']);
  });

  it('reads JSON values between the lines that part YAML documents', async () => {
    const json = (name: string) => JSON.stringify({ apiVersion: 'v/v1', kind: 'K', metadata: { name } });
    const text = `${json('a')}\n---\n${json('b')}\n`;
    expect([await namesOf(text), await problemOf(text)]).toEqual([['a', 'b'], '']);
  });

  it('takes a List for its items', async () => {
    expect(await namesOf(JSON.stringify({ kind: 'List', items: [{ apiVersion: 'v/v1', kind: 'K', metadata: { name: 'a' } }] }))).toEqual([
      'a',
    ]);
  });

  it('takes a List within a List for its items', async () => {
    const item = (name: string) => ({ apiVersion: 'v/v1', kind: 'K', metadata: { name } });
    const inner = { kind: 'KList', items: [item('b'), { kind: 'List', items: [item('c')] }, { kind: 'List', items: [] }] };
    expect(await namesOf(JSON.stringify({ kind: 'List', items: [item('a'), inner, item('d')] }))).toEqual(['a', 'b', 'c', 'd']);
  });

  it('reads the neighbours of a broken document', async () => {
    const { documents, broken } = await fromStdin(`${widget('a')}---\nkind: [\n---\n${widget('c')}`);
    expect(documents.map(({ manifest }) => manifest.metadata.name)).toEqual(['a', 'c']);
    expect(broken).toHaveLength(1);
    expect(broken[0]?.problem).toContain('standard input, document 2, line ');
  });

  it('accepts a definition without apiVersion, as ColonyOS writes them', async () => {
    expect(await namesOf('kind: ResourceDefinition\nmetadata: {name: a}')).toEqual(['a']);
  });

  it.each([
    { name: 'a key twice', text: widget('a', '  size: 2\n'), says: 'line 7: the key "size" stands twice in one object' },
    { name: 'a key twice in flow style', text: 'a: {"b c": 1, d: 2,\n  \'b c\': 3}\n', says: 'line 2: the key "b c" stands twice' },
    { name: 'a key twice, once as a number', text: 'a: {1: 1, "1": 2}\n', says: 'the key "1" stands twice' },
    { name: 'an alias', text: 'a: &x [1]\nb: *x\n', says: 'line 2: the alias *x is not allowed' },
    { name: 'a key that is no text', text: 'a: 1\n? [b]\n: c\n', says: 'line 2: a key must be text' },
    { name: 'a tag', text: 'a: 1\nb: !run {c: 1}\n', says: 'line 2: tags of your own' },
    { name: 'a binary tag', text: 'a: !!binary aGk=\n', says: 'line 1' },
    { name: 'a number that would change', text: 'a: 12345678901234567890\n', says: 'too large to be kept exactly' },
    { name: 'a number JSON does not have', text: 'a: .inf\n', says: 'no number that JSON can hold' },
    { name: 'a JSON key twice', text: '{"a": 1,\n "a": 2}', says: 'line 2: the key "a" stands twice' },
    { name: 'a JSON number that would change', text: '{"a": 12345678901234567890}', says: 'too large to be kept exactly' },
    { name: 'broken JSON', text: '{"a": 1,\n "b": }', says: 'line 2: this is not JSON' },
    { name: 'JSON with a comma too many', text: '{"a": 1,}', says: 'line 1: this is not JSON' },
    { name: 'broken flow style', text: '{a: 1,\n b: [}', says: 'line 2: this is not YAML' },
    { name: 'half a JSON document', text: '{"a": {"b": 1}', says: 'this is not JSON' },
    { name: 'a document over the limit', text: `a: ${'x'.repeat(300_000)}`, says: 'bytes; a manifest may have 262144' },
    { name: 'nesting without end', text: '['.repeat(100_000), says: 'not JSON' },
    {
      name: 'deep nesting',
      text: `{"apiVersion":"a/v1","kind":"K","metadata":{"name":"n"},"spec":${'['.repeat(500)}${']'.repeat(500)}}`,
      says: 'standard input: spec[0][0][0][0][0]… is nested too deeply: at most 64 levels',
    },
    { name: 'deep YAML nesting', text: `a: ${'['.repeat(50_000)}`, says: 'nested too deeply: at most 64 levels' },
    {
      name: 'a List with an item that is none',
      text: 'kind: List\nitems: [{}, 5]\n',
      says: 'standard input, line 2, items[1]: a manifest is an object',
    },
    {
      name: 'a List with a nameless item',
      text: '{"kind":"List","items":[{"kind":"K"}]}',
      says: 'standard input, line 1, items[0]: apiVersion, metadata.name must',
    },
    {
      name: 'a nameless item of a List, with the line of what should name it',
      text: `${widget('a')}---\nkind: List\nitems:\n- kind: K\n  apiVersion: a/v1\n- kind: K\n  apiVersion: a/v1\n  metadata:\n    labels: {}\n`,
      says: 'standard input, document 2, line 15, items[1]: metadata.name must',
    },
    {
      name: 'an item of a List within a List',
      text: 'kind: List\nitems:\n- kind: List\n  items:\n  - kind: K\n    apiVersion: a/v1\n    metadata: {name: a}\n  - kind: K\n',
      says: 'standard input, line 8, items[0].items[1]: apiVersion, metadata.name must',
    },
    {
      name: 'Lists within Lists without end',
      text: `${'{"kind":"List","items":['.repeat(1_000)}${']}'.repeat(1_000)}`,
      says: '… is nested too deeply: at most 64 levels',
    },
    { name: 'a list of anything', text: '- a\n- b\n', says: 'a manifest is an object' },
    { name: 'no name', text: 'apiVersion: a/v1\nkind: K\n', says: 'metadata.name must be given' },
    { name: 'an empty name', text: widget('""'), says: 'standard input, line 4: metadata.name must be given, as text that is not empty' },
    {
      name: 'a number beyond all bounds',
      text: widget('a', '  n: 999999999999999999999\n'),
      says: 'line 7: the number 999999999999999999999 is too large to be kept exactly: whole numbers are exact up to 9007199254740991',
    },
    { name: 'nothing that names it', text: 'spec: {}\n', says: 'apiVersion, kind, metadata.name must be given' },
  ])('refuses $name', async ({ text, says }) => expect(await problemOf(text)).toContain(says));

  it('keeps a key called __proto__ a plain key', async () => {
    const { documents } = await fromStdin(widget('a', '  __proto__: {polluted: true}\n'));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(Object.hasOwn(documents[0]?.manifest.spec as object, '__proto__')).toBe(true);
  });

  it('counts lines of a later document from the top of the file', async () => {
    expect(await problemOf(`${widget('a')}---\nb: 1\nb: 2\n`)).toContain('document 2, line 9');
  });

  it('reads or sets aside whatever it is given, and throws nothing but a usage error', async () => {
    const piece = fc.constantFrom(
      '---\n',
      '...\n',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      '\\',
      ': ',
      '- ',
      '\n',
      '  ',
      '\t',
      '&a',
      '*a',
      '!!str',
      '!x',
      '%YAML 1.2\n',
      '? ',
      '|\n',
      '>-\n',
      '#',
      'kind',
      '\u0000',
      '\uFEFF',
      '1e999',
      'apiVersion: a/v1\nkind: K\nmetadata: {name: n}\n',
    );
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
    );
    await fc.assert(
      fc.asyncProperty(text, async (input) => {
        const { documents, broken } = await fromStdin(input).catch((error: unknown) => {
          expect(error).toBeInstanceOf(UsageError);
          return { documents: [], broken: [] };
        });
        for (const { manifest } of documents) expect(manifest.metadata.name).toBeTypeOf('string');
        for (const { problem } of broken) expect(problem).toMatch(/^standard input/);
      }),
      { numRuns: 2_000 },
    );
  });

  it('says when there is nothing at all', async () => {
    await expect(fromStdin('# nothing\n')).rejects.toThrow(UsageError);
    await expect(fromStdin('')).rejects.toThrow('there is no resource in standard input');
  });
});

describe('readManifests from disk', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'colony-manifests-'));
    writeFileSync(join(folder, 'b.yaml'), widget('b'));
    writeFileSync(join(folder, 'a.json'), JSON.stringify({ apiVersion: 'v/v1', kind: 'K', metadata: { name: 'a' } }));
    writeFileSync(join(folder, 'notes.txt'), 'not a manifest');
    mkdirSync(join(folder, 'more'));
    writeFileSync(join(folder, 'more', 'c.yml'), widget('c'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const read = async (files: string[], recursive = false) =>
    (await readManifests({ files, recursive, stdin: async () => '' })).documents.map(({ manifest }) => manifest.metadata.name);

  it('reads a folder in order of names', async () => expect(await read([folder])).toEqual(['a', 'b']));
  it('looks in its folders when asked', async () => expect(await read([folder], true)).toEqual(['a', 'b', 'c']));
  it('reads several files', async () => expect(await read([join(folder, 'b.yaml'), join(folder, 'a.json')])).toEqual(['b', 'a']));
  it('takes a .json file for JSON only', async () => {
    writeFileSync(join(folder, 'a.json'), '{kind: K, apiVersion: v/v1, metadata: {name: a}}');
    const { documents, broken } = await readManifests({ files: [join(folder, 'a.json')], recursive: false, stdin: async () => '' });
    expect([documents.length, broken.map(({ problem }) => problem)]).toEqual([0, [expect.stringContaining('this is not JSON')]]);
  });
  it('says which path is missing', async () => await expect(read([join(folder, 'none.yaml')])).rejects.toThrow(UsageError));
  it('says when a folder holds no manifest', async () => {
    mkdirSync(join(folder, 'empty'));
    await expect(read([join(folder, 'empty')])).rejects.toThrow(UsageError);
  });
});
