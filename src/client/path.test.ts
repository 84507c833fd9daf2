import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidError } from './errors.ts';
import { parsePath, pathText, setAt } from './path.ts';

describe('parsePath', () => {
  it.each([
    { text: 'spec.a.b', segments: ['spec', 'a', 'b'] },
    { text: '.spec.a', segments: ['spec', 'a'] },
    { text: 'spec.ports[0].name', segments: ['spec', 'ports', 0, 'name'] },
    { text: 'spec.m[0][12]', segments: ['spec', 'm', 0, 12] },
    { text: 'metadata.labels["example.com/team"]', segments: ['metadata', 'labels', 'example.com/team'] },
    { text: "metadata.labels['a.b'].c", segments: ['metadata', 'labels', 'a.b', 'c'] },
    { text: 'spec.a\\.b.c', segments: ['spec', 'a.b', 'c'] },
    { text: 'spec.request-uid', segments: ['spec', 'request-uid'] },
  ])('reads $text', ({ text, segments }) => expect(parsePath(text)).toEqual(segments));

  it.each(['', '.', 'a..b', 'a.', 'a[', 'a[x]', 'a[0]b', 'a.[0]', '[', 'a["b]', 'a[-1]'])('refuses "%s"', (text) => {
    expect(() => parsePath(text)).toThrow(InvalidError);
  });

  it('reads back whatever it writes', () => {
    const segment = fc.oneof(fc.string({ minLength: 1 }), fc.nat(99));
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 8 }), (segments) => {
        expect(parsePath(pathText(['spec', ...segments]))).toEqual(['spec', ...segments]);
      }),
    );
  });
});

describe('setAt', () => {
  it('makes what is missing on the way', () => {
    expect(setAt({}, parsePath('spec.a[0].b'), 1)).toEqual({ spec: { a: [{ b: 1 }] } });
  });

  it('leaves the rest and the original as they are', () => {
    const root = { spec: { a: 1, list: [{ x: 1 }, { x: 2 }] }, other: true };
    const copy = structuredClone(root);
    expect(setAt(root, parsePath('spec.list[1].x'), 3)).toEqual({ spec: { a: 1, list: [{ x: 1 }, { x: 3 }] }, other: true });
    expect(root).toEqual(copy);
  });

  it('takes a field or an item away for undefined', () => {
    expect(setAt({ a: { b: 1, c: 2 } }, ['a', 'b'], undefined)).toEqual({ a: { c: 2 } });
    expect(setAt({ a: [1, 2, 3] }, ['a', 1], undefined)).toEqual({ a: [1, 3] });
  });

  it.each([
    { path: 'spec.name.first', said: 'spec.name' },
    { path: 'spec.list.first', said: 'spec.list' },
    { path: 'spec.list[3]', said: 'spec.list' },
    { path: 'spec[0]', said: 'spec' },
  ])('refuses $path and names $said', ({ path, said }) => {
    expect(() => setAt({ spec: { name: 'x', list: [1] } }, parsePath(path), 1)).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ path: said })] }),
    );
  });

  it('keeps __proto__ a plain key', () => {
    const result = setAt({}, ['__proto__', 'polluted'], true);
    expect(Object.hasOwn(result, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
