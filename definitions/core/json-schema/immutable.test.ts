import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../resource.ts';
import { compileSchema } from './index.ts';

const fixed = { type: 'string', 'x-immutable': true };
const schema = {
  properties: {
    a: fixed,
    cel: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'no' }] },
    free: { type: 'string' },
    o: { type: 'object', properties: { b: fixed, c: { type: 'string' } } },
    l: { type: 'array', items: { type: 'object', properties: { name: fixed, port: { type: 'integer' } } } },
    m: { type: 'object', additionalProperties: { type: 'object', properties: { id: fixed, x: {} } } },
    whole: { type: 'object', 'x-immutable': true },
  },
};

function changed(before: JsonObject, after: JsonObject): string[] {
  const compiled = compileSchema(schema);
  if ('issues' in compiled) throw new Error(JSON.stringify(compiled.issues));
  return compiled.immutableIssues(before, after, 'spec').map(({ path }) => path);
}

describe('immutable fields', () => {
  it.each([
    { name: 'stay as they are', before: { a: 'x' }, after: { a: 'x', free: 'y' }, paths: [] },
    { name: 'cannot change', before: { a: 'x', free: 'y' }, after: { a: 'z', free: 'w' }, paths: ['spec.a'] },
    { name: 'cannot go', before: { a: 'x' }, after: {}, paths: ['spec.a'] },
    { name: 'can be set once', before: {}, after: { a: 'x' }, paths: [] },
    { name: 'can be set where null was', before: { a: null }, after: { a: 'x' }, paths: [] },
    { name: 'may be marked in the words of Kubernetes', before: { cel: 'x' }, after: { cel: 'y' }, paths: ['spec.cel'] },
    { name: 'hold inside objects', before: { o: { b: 'x', c: '1' } }, after: { o: { b: 'y', c: '2' } }, paths: ['spec.o.b'] },
    { name: 'do not go with the object around them', before: { o: { b: 'x' } }, after: {}, paths: ['spec.o.b'] },
    {
      name: 'let a list grow at its end',
      before: { l: [{ name: 'x', port: 1 }] },
      after: { l: [{ name: 'x', port: 2 }, { name: 'y' }] },
      paths: [],
    },
    {
      name: 'do not let a list be reordered',
      before: { l: [{ name: 'x' }, { name: 'y' }] },
      after: { l: [{ name: 'y' }, { name: 'x' }] },
      paths: ['spec.l[0].name', 'spec.l[1].name'],
    },
    { name: 'do not let a list shrink', before: { l: [{ name: 'x' }, { port: 1 }] }, after: { l: [] }, paths: ['spec.l[0].name'] },
    {
      name: 'hold in maps by key',
      before: { m: { k: { id: 'x', x: 1 } } },
      after: { m: { k: { id: 'y', x: 2 }, n: { id: 'z' } } },
      paths: ['spec.m.k.id'],
    },
    {
      name: 'may be whole objects, in any order of fields',
      before: { whole: { a: 1, b: 2 } },
      after: { whole: { b: 2, a: 1 } },
      paths: [],
    },
    {
      name: 'hold when a whole object gets a new field',
      before: { whole: { a: 1 } },
      after: { whole: { a: 1, b: 2 } },
      paths: ['spec.whole'],
    },
    {
      name: 'hold when the type around them changes',
      before: { l: [{ name: 'x' }] },
      after: { l: { 0: { name: 'x' } } },
      paths: ['spec.l[0].name'],
    },
    {
      name: 'survive hostile keys',
      before: JSON.parse('{"m":{"constructor":{"id":"x"}}}'),
      after: { m: {} },
      paths: ['spec.m.constructor.id'],
    },
  ])('$name', ({ before, after, paths }) => {
    expect(changed(before, after)).toEqual(paths);
  });
});
