import { describe, expect, it } from 'vitest';
import { canonical, jsonBytes, readJson } from './json.ts';

const problemsOf = (input: unknown) => {
  const read = readJson(input, { bytes: 1_000, depth: 5 });
  return 'problems' in read ? read.problems : [];
};

describe('readJson', () => {
  it('copies plain JSON and leaves out what is undefined', () => {
    const input = { a: [1, 'x', null, true, { b: -0.5 }], gone: undefined };
    const read = readJson(input);
    expect(read).toEqual({ value: { a: [1, 'x', null, true, { b: -0.5 }] } });
    expect('value' in read && read.value).not.toBe(input);
  });

  it('takes objects of another realm and without prototype', () => {
    expect(readJson(Object.assign(Object.create(null), { a: 1 }))).toEqual({ value: { a: 1 } });
  });

  it.each([
    { name: 'a function', input: { a: () => 1 }, path: ['a'] },
    { name: 'a bigint', input: [1n], path: [0] },
    { name: 'a symbol', input: { a: { b: Symbol('x') } }, path: ['a', 'b'] },
    { name: 'NaN', input: { a: Number.NaN }, path: ['a'] },
    { name: 'infinity', input: [[Number.POSITIVE_INFINITY]], path: [0, 0] },
    { name: 'a date', input: { a: new Date(0) }, path: ['a'] },
    { name: 'a map', input: { a: new Map() }, path: ['a'] },
    { name: 'a hole in a list', input: [undefined, 1], path: [0] },
    { name: 'a __proto__ key', input: JSON.parse('{"a":{"__proto__":{"x":1}}}'), path: ['a', '__proto__'] },
  ])('refuses $name and says where', ({ input, path }) => {
    expect(problemsOf(input)).toMatchObject([{ path }]);
  });

  it('says all problems at once', () => {
    expect(problemsOf({ a: () => 1, b: [Number.NaN], c: 1n })).toHaveLength(3);
  });

  it('refuses what is too deep, cyclic, too large or unfolds without end', () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    let bomb: unknown = 'x';
    for (let level = 0; level < 60; level += 1) bomb = [bomb, bomb, bomb];
    for (const input of [cycle, bomb, 'x'.repeat(1_001), 'é'.repeat(501), new Array(1e9), { ['k'.repeat(2_000)]: 1 }]) {
      expect(problemsOf(input).length).toBeGreaterThan(0);
    }
  });

  it('survives proxies and getters that throw', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const angry = {
      get a() {
        throw new Error('no\u001b[31m');
      },
    };
    expect(problemsOf({ p: proxy })).toMatchObject([{ path: ['p'] }]);
    expect(problemsOf(angry)[0]?.message).toBe('cannot be read ("no\\u001b[31m")');
  });
});

describe('canonical', () => {
  it('is one text for all orders of fields', () => {
    expect(canonical({ b: [1, { d: 1, c: 2 }], a: null })).toBe(canonical({ a: null, b: [1, { c: 2, d: 1 }] }));
    expect(canonical({ a: '1' })).not.toBe(canonical({ a: 1 }));
  });
});

describe('jsonBytes', () => {
  it.each(['plain', 'é', '日本', '😀', '\ud800', '\n'])('counts %j as UTF-8 does', (text) => {
    expect(jsonBytes({ text })).toBe(Buffer.byteLength(JSON.stringify({ text })));
  });
});
