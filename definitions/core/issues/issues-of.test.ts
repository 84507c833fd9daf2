import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkWith, issuesOf } from './index.ts';

const say = (schema: z.ZodType, input: unknown): Record<string, string> => {
  const checked = checkWith(schema, input, 'spec');
  return 'issues' in checked ? Object.fromEntries(checked.issues.map(({ path, message }) => [path, message])) : {};
};

describe('checkWith', () => {
  it.each([
    { name: 'a missing field', schema: z.object({ a: z.string() }), input: {}, path: 'spec.a', message: 'is required' },
    { name: 'a wrong type', schema: z.object({ a: z.int() }), input: { a: '3' }, path: 'spec.a', message: 'must be an integer (got "3")' },
    {
      name: 'a fraction',
      schema: z.object({ a: z.number().int() }),
      input: { a: 3.5 },
      path: 'spec.a',
      message: 'must be an integer (got 3.5)',
    },
    {
      name: 'a choice',
      schema: z.enum(['docker', 'local']),
      input: 'foo',
      path: 'spec',
      message: 'must be one of docker, local (got "foo")',
    },
    {
      name: 'a missing choice',
      schema: z.object({ a: z.enum(['b', 'c']) }),
      input: {},
      path: 'spec.a',
      message: 'is required: one of b, c',
    },
    { name: 'a literal', schema: z.literal(5), input: 6, path: 'spec', message: 'must be 5 (got 6)' },
    { name: 'a small number', schema: z.array(z.number().min(1)), input: [0], path: 'spec[0]', message: 'must be ≥ 1 (got 0)' },
    { name: 'a number at an open bound', schema: z.number().lt(1), input: 1, path: 'spec', message: 'must be < 1 (got 1)' },
    { name: 'an empty text', schema: z.string().min(1), input: '', path: 'spec', message: 'must not be empty' },
    { name: 'a long text', schema: z.string().max(2), input: 'abc', path: 'spec', message: 'must have at most 2 characters (has 3)' },
    { name: 'a short list', schema: z.array(z.any()).min(1), input: [], path: 'spec', message: 'must have at least 1 item (has 0)' },
    { name: 'a pattern', schema: z.string().regex(/^a+$/), input: 'b', path: 'spec', message: 'must match the pattern "/^a+$/" (got "b")' },
    { name: 'a prefix', schema: z.string().startsWith('x'), input: 'b', path: 'spec', message: 'must start with "x" (got "b")' },
    { name: 'a format', schema: z.email(), input: 'b', path: 'spec', message: 'must be a valid e-mail address (got "b")' },
    { name: 'a multiple', schema: z.number().multipleOf(5), input: 3, path: 'spec', message: 'must be a multiple of 5 (got 3)' },
    {
      name: 'a name of a map',
      schema: z.record(z.string().regex(/^a/), z.any()),
      input: { b: 1 },
      path: 'spec.b',
      message: 'is not a name that is allowed here: it must match the pattern "/^a/" (got "b")',
    },
    { name: 'a sentence of our own', schema: z.string().refine(() => false, 'is bad'), input: 'b', path: 'spec', message: 'is bad' },
    {
      name: 'two types',
      schema: z.union([z.string(), z.int()]),
      input: true,
      path: 'spec',
      message: 'must be a string or an integer (got true)',
    },
    {
      name: 'mixed values',
      schema: z.union([z.literal(1), z.literal('a')]),
      input: 2,
      path: 'spec',
      message: 'must be one of 1, a (got 2)',
    },
    {
      name: 'a discriminator',
      schema: z.discriminatedUnion('t', [z.object({ t: z.literal('A') }), z.object({ t: z.literal('B') })]),
      input: { t: 'C' },
      path: 'spec.t',
      message: 'must be one of A, B (got "C")',
    },
    {
      name: 'the form that was meant',
      schema: z.union([z.string(), z.strictObject({ q: z.number() })]),
      input: { q: 'x' },
      path: 'spec.q',
      message: 'must be a number (got "x")',
    },
    {
      name: 'a strange path',
      schema: z.record(z.string(), z.int()),
      input: { 'a.b c': 'x' },
      path: 'spec["a.b c"]',
      message: 'must be an integer (got "x")',
    },
  ])('says $name', ({ schema, input, path, message }) => {
    expect(say(schema, input)).toEqual({ [path]: message });
  });

  it('names the known fields for each unknown one', () => {
    const schema = z.strictObject({ a: z.any(), b: z.any() });
    const message = 'unknown field; known fields: a, b';
    expect(say(schema, { a: 1, b: 2, c: 3, d: 4 })).toEqual({ 'spec.c': message, 'spec.d': message });
  });

  it('says all errors at once', () => {
    const schema = z.strictObject({ a: z.int().min(1), b: z.strictObject({ c: z.string() }), d: z.array(z.boolean()).min(3) });
    const paths = Object.keys(say(schema, { a: 0, b: { x: 1 }, d: [1], e: 1 })).sort();
    expect(paths).toEqual(['spec.a', 'spec.b.c', 'spec.b.x', 'spec.d', 'spec.d[0]', 'spec.e']);
  });

  it.each([
    { name: 'far above its bound', value: 1e300, message: 'must be ≤ 5 (got 1e+300)' },
    { name: 'far below its bound', value: -1e300, message: 'must be ≥ 0 (got -1e+300)' },
  ])('says once that an integer is $name, wherever it stands', ({ value, message }) => {
    const bounded = z.int().multipleOf(1).min(0).max(5);
    const schema = z.strictObject({ a: bounded, b: z.array(bounded), c: z.union([z.string(), bounded]), d: z.int() });
    const checked = checkWith(schema, { a: value, b: [value], c: value, d: value }, 'spec');
    expect('issues' in checked && checked.issues).toEqual([
      { path: 'spec.a', message },
      { path: 'spec.b[0]', message },
      { path: 'spec.c', message },
      { path: 'spec.d', message: expect.stringContaining('9007199254740991') },
    ]);
  });

  it('cuts long values, hides objects and escapes what would disturb a terminal', () => {
    const message = say(z.int(), `\u001b[31m\u202e${'x'.repeat(500)}`).spec ?? '';
    expect(message.length).toBeLessThan(120);
    expect(message).toContain('\\u001b[31m\\u202e');
    expect(say(z.int(), { secret: 'x' }).spec).toBe('must be an integer (got an object)');
  });

  it('stops after fifty and counts the rest', () => {
    const checked = checkWith(z.array(z.int()), new Array(80).fill('x'), 'spec');
    expect('issues' in checked && checked.issues).toHaveLength(51);
    expect('issues' in checked && checked.issues.at(-1)).toEqual({ path: 'spec', message: 'has at least 30 more problems' });
  });
});

describe('issuesOf', () => {
  it('reads errors that were not made for it as well', () => {
    const schema = z.strictObject({ a: z.int(), b: z.string(), c: z.number().min(1) });
    const { error } = schema.safeParse({ a: 'x', c: 0, d: 1 });
    expect(error && issuesOf(error, 'spec')).toEqual([
      { path: 'spec.a', message: 'must be a number' },
      { path: 'spec.b', message: 'is required' },
      { path: 'spec.c', message: 'must be ≥ 1' },
      { path: 'spec.d', message: 'unknown field' },
    ]);
  });
});
