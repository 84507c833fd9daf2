import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toldFields, toldPath, toldTree } from './told-path.ts';

describe('a path that is told', () => {
  it.each([
    { path: 'status.endpoint', fields: ['status', 'endpoint'] },
    { path: 'status.a/b.c-d.0', fields: ['status', 'a/b', 'c-d', '0'] },
    { path: 'status.zones["eu.north"]', fields: ['status', 'zones', 'eu.north'] },
    { path: 'status.zones["eu.north"].url', fields: ['status', 'zones', 'eu.north', 'url'] },
    { path: 'status["a\\u0020b"][""]', fields: ['status', 'a b', ''] },
    { path: 'status.list[0]', fields: ['status', 'list[0]'] },
  ])('is written $path', ({ path, fields }) => {
    expect(toldPath(fields)).toBe(path);
    expect(toldFields(path)).toEqual(fields);
  });

  it('is read back whatever its fields are, and has no space', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (fields) => {
        expect(toldPath(fields)).not.toMatch(/\s/);
        expect(toldFields(toldPath(fields))).toEqual(fields);
      }),
    );
  });

  it('can be read whoever wrote it, and then leads nowhere', () => {
    expect(toldFields('status["a')).toEqual(['status', '"a']);
    expect(toldFields('status["\\x"]')).toEqual(['status', '["\\x"]']);
  });

  it('makes one object of what was told by it, and changes nothing that was told', () => {
    const whole = { a: 1 };
    expect(toldTree({ 'status.of': whole, 'status.of.b': 2, 'status.zones["eu.north"]': 'up' })).toEqual({
      status: { of: { a: 1, b: 2 }, zones: { 'eu.north': 'up' } },
    });
    expect(whole).toEqual({ a: 1 });
  });
});
