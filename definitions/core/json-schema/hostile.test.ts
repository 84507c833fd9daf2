import { describe, expect, it } from 'vitest';
import { issuesOf } from '../issues/index.ts';
import { compileSchema } from './index.ts';

/** Of the processor's time, so that a busy machine changes nothing; a backtracking engine would take years. */
const A_MOMENT_MS = 1_500;

function timed(schema: unknown, value: unknown): { readonly ms: number; readonly said: readonly string[] } {
  const compiled = compileSchema(schema);
  if ('issues' in compiled) return { ms: 0, said: compiled.issues.map(({ message }) => message) };
  const start = process.cpuUsage();
  const { error } = compiled.schema.safeParse(value);
  return { ms: process.cpuUsage(start).user / 1_000, said: error ? issuesOf(error, 'spec').map(({ message }) => message) : [] };
}

const text = (pattern: string) => ({ properties: { a: { type: 'string', pattern } } });

describe('hostile schemas and values', { timeout: 120_000 }, () => {
  it.each(['(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(.*a){20}[xy]$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(?:a?){200}[xy]'])(
    'the pattern %s is linear',
    (pattern) => {
      const { ms, said } = timed(text(pattern), { a: `${'a'.repeat(100_000)}!` });
      expect(said).toHaveLength(1);
      expect(ms).toBeLessThan(A_MOMENT_MS);
    },
  );

  it('patterns that are too much work together are refused, not run', () => {
    const { ms, said } = timed(text('(?:[ab]?[bc]?[ca]?){150}[xy]'), { a: 'abc'.repeat(80_000) });
    expect(said.at(-1)).toContain('costs too much');
    expect(ms).toBeLessThan(A_MOMENT_MS);
  });

  it('branches times items are bounded', () => {
    const branches = Array.from({ length: 2_000 }, () => ({ minimum: 0 }));
    const { ms, said } = timed({ properties: { l: { type: 'array', items: { allOf: branches } } } }, { l: new Array(60_000).fill(1) });
    expect(said.at(-1)).toContain('costs too much');
    expect(ms).toBeLessThan(A_MOMENT_MS * 2);
  });

  it('fields times items are bounded', () => {
    const names = Array.from({ length: 2_000 }, (_, index) => `f${index}`);
    const fields = (inner: object) => Object.fromEntries(names.map((name) => [name, inner]));
    const items = [
      { type: 'object', required: names },
      { type: 'object', properties: fields({}) },
      { type: 'object', properties: fields({ 'x-immutable': true }) },
      { type: 'object', properties: fields({ default: 1 }) },
      { not: { required: names } },
    ];
    for (const one of items) {
      const { ms, said } = timed({ properties: { l: { type: 'array', items: one } } }, { l: new Array(80_000).fill({}) });
      expect(said.at(-1)).toContain('costs too much');
      expect(ms).toBeLessThan(A_MOMENT_MS);
    }
  });

  it('a long list of allowed values is looked up, not walked', () => {
    const allowed = Array.from({ length: 5_000 }, (_, index) => `v${index}`);
    const { ms, said } = timed({ properties: { l: { type: 'array', items: { enum: allowed } } } }, { l: new Array(25_000).fill('v4999') });
    expect(said).toEqual([]);
    expect(ms).toBeLessThan(A_MOMENT_MS);
  });

  it('a schema as large as it may be compiles in time', () => {
    const start = process.cpuUsage();
    const properties = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`f${index}`, { type: 'string' }]));
    expect(compileSchema({ properties })).toHaveProperty('schema');
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(A_MOMENT_MS * 2);
  });

  it('a hundred thousand wrong items are counted, not listed', () => {
    const { ms, said } = timed({ properties: { l: { type: 'array', items: { type: 'string' } } } }, { l: new Array(100_000).fill(1) });
    expect(said).toHaveLength(51);
    expect(ms).toBeLessThan(A_MOMENT_MS * 2);
  });

  it('formats are checked in time', () => {
    for (const format of ['email', 'date-time', 'hostname', 'uri', 'ipv6', 'byte', 'duration', 'uuid', 'cidr', 'date']) {
      const { ms } = timed({ properties: { a: { type: 'string', format } } }, { a: `${'1a.'.repeat(60_000)}!` });
      expect(ms).toBeLessThan(A_MOMENT_MS);
    }
  });

  it('deep unions do not multiply', () => {
    let schema: object = { type: 'integer' };
    for (let level = 0; level < 9; level += 1) schema = { anyOf: [schema, schema], oneOf: [schema, schema] };
    const { ms } = timed({ properties: { a: schema } }, { a: 'x' });
    expect(ms).toBeLessThan(A_MOMENT_MS);
  });

  it('keys that objects have by birth are ordinary data', () => {
    const value = JSON.parse('{"constructor":{"prototype":1},"toString":"x","hasOwnProperty":1}');
    expect(timed({ type: 'object' }, value).said).toEqual([]);
    expect(timed({ properties: { a: {} } }, value).said).toHaveLength(3);
    expect(({} as Record<string, unknown>).prototype).toBeUndefined();
  });

  it('leaves the objects of the program alone when it looks past what it refuses', () => {
    const before = Object.getOwnPropertyNames(Object.prototype).sort();
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      const level = `{"type":"text","toString":1,"valueOf":1,"properties":{"a":5},"default":1}`;
      compileSchema(JSON.parse(`{"properties":{"${name}":${level}},"${name}":${level},"items":${level},"anyOf":[${level}]}`));
    }
    expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(before);
    expect(Object.getOwnPropertyDescriptor(Object.prototype, 'toString')?.value.call([])).toBe('[object Array]');
  });

  it('takes no long time to refuse a schema in which everything is wrong', () => {
    const wide = Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [`f${at}`, { type: 'text', nothing: 1, default: 1 }]));
    const start = process.cpuUsage();
    expect('issues' in compileSchema({ properties: wide })).toBe(true);
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(A_MOMENT_MS);
  });
});
