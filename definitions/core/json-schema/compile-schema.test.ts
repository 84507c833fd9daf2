import { describe, expect, it } from 'vitest';
import { issuesOf } from '../issues/index.ts';
import type { JsonObject } from '../resource.ts';
import { compileSchema } from './index.ts';

/** What is said against a spec whose field `a` has this schema. */
function against(schema: unknown, a: unknown): string[] {
  const compiled = compileSchema({ type: 'object', properties: { a: schema } });
  if ('issues' in compiled) throw new Error(JSON.stringify(compiled.issues));
  const { error } = compiled.schema.safeParse({ a });
  return error ? issuesOf(error, 'spec').map(({ path, message }) => `${path} ${message}`) : [];
}

const refusals = (schema: unknown): string[] => {
  const compiled = compileSchema(schema, 'schema');
  return 'issues' in compiled ? compiled.issues.map(({ path }) => path) : [];
};

interface Case {
  readonly name: string;
  readonly schema: unknown;
  readonly good: readonly unknown[];
  readonly bad: Readonly<Record<string, unknown>>;
}

const cases: readonly Case[] = [
  { name: 'string', schema: { type: 'string' }, good: ['', 'x'], bad: { '1': 1, null: null, list: [] } },
  { name: 'integer', schema: { type: 'integer' }, good: [0, -3, 3.0], bad: { text: '3', fraction: 3.5, huge: 1e300, yes: true } },
  { name: 'int32', schema: { type: 'integer', format: 'int32' }, good: [2147483647], bad: { over: 2147483648 } },
  { name: 'number', schema: { type: 'number' }, good: [0.5, 1e300], bad: { text: '0.5' } },
  { name: 'boolean', schema: { type: 'boolean' }, good: [true, false], bad: { text: 'true' } },
  { name: 'any object', schema: { type: 'object' }, good: [{}, { x: { y: [1] } }], bad: { list: [] } },
  { name: 'any list', schema: { type: 'array' }, good: [[], [1, 'x', null]], bad: { object: {} } },
  { name: 'anything', schema: {}, good: [1, null, 'x', [{}]], bad: {} },
  { name: 'enum', schema: { type: 'string', enum: ['x', 'y'] }, good: ['x'], bad: { other: 'z', number: 1 } },
  { name: 'enum of objects', schema: { enum: [{ a: 1 }, 2] }, good: [{ a: 1 }, 2], bad: { other: { a: 2 } } },
  { name: 'enum within limits', schema: { type: 'string', enum: ['x', 'xyz'], minLength: 2 }, good: ['xyz'], bad: { short: 'x' } },
  { name: 'const', schema: { const: 5 }, good: [5], bad: { other: 6 } },
  {
    name: 'lengths in characters',
    schema: { type: 'string', minLength: 2, maxLength: 2 },
    good: ['ab', '😀😀'],
    bad: { one: '😀', three: 'abc' },
  },
  { name: 'bounds', schema: { type: 'number', minimum: 1, maximum: 2 }, good: [1, 2], bad: { low: 0, high: 3 } },
  { name: 'exclusive bounds as words', schema: { type: 'number', minimum: 1, exclusiveMinimum: true }, good: [1.1], bad: { on: 1 } },
  {
    name: 'exclusive bounds as numbers',
    schema: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 2 },
    good: [1],
    bad: { zero: 0, two: 2 },
  },
  { name: 'multiples', schema: { type: 'number', multipleOf: 0.1 }, good: [0.3], bad: { between: 0.35 } },
  { name: 'a pattern anywhere', schema: { type: 'string', pattern: 'b+' }, good: ['abc'], bad: { none: 'ac' } },
  { name: 'a pattern in JavaScript words', schema: { type: 'string', pattern: '^\\u0041$' }, good: ['A'], bad: { none: 'a' } },
  {
    name: 'list sizes without items',
    schema: { type: 'array', minItems: 1, maxItems: 2 },
    good: [[1]],
    bad: { none: [], three: [1, 2, 3] },
  },
  {
    name: 'unique items',
    schema: { type: 'array', uniqueItems: true },
    good: [[1, '1', { a: 1 }]],
    bad: {
      same: [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    },
  },
  { name: 'list of type set', schema: { type: 'array', 'x-kubernetes-list-type': 'set' }, good: [[1, 2]], bad: { same: [1, 1] } },
  {
    name: 'list of type map',
    schema: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
    good: [[{ name: 'a' }, { name: 'b' }]],
    bad: { same: [{ name: 'a', x: 1 }, { name: 'a' }] },
  },
  {
    name: 'number of fields',
    schema: { type: 'object', minProperties: 1, maxProperties: 1 },
    good: [{ x: 1 }],
    bad: { none: {}, two: { x: 1, y: 2 } },
  },
  { name: 'nested required', schema: { type: 'object', properties: { b: {} }, required: ['b'] }, good: [{ b: null }], bad: { none: {} } },
  {
    name: 'required without property',
    schema: { type: 'object', properties: {}, required: ['constructor'] },
    good: [{ constructor: 1 }],
    bad: { none: {} },
  },
  {
    name: 'a map',
    schema: { type: 'object', additionalProperties: { type: 'integer' } },
    good: [{}, { x: 1, constructor: 2 }],
    bad: { text: { x: 'y' } },
  },
  { name: 'properties imply object', schema: { properties: { b: { type: 'string' } } }, good: [{ b: 'x' }], bad: { number: 5 } },
  { name: 'nullable', schema: { type: 'string', nullable: true, enum: ['x'] }, good: ['x', null], bad: { other: 'y' } },
  { name: 'null as type', schema: { type: ['string', 'null'] }, good: ['x', null], bad: { number: 1 } },
  {
    name: 'int or string',
    schema: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    good: [1, '50%'],
    bad: { fraction: 1.5, yes: true },
  },
  { name: 'int or string by format', schema: { format: 'int-or-string' }, good: [1, 'x'], bad: { yes: true } },
  {
    name: 'date-time',
    schema: { type: 'string', format: 'date-time' },
    good: ['2025-10-20T10:00:00Z', '2025-10-20T10:00:00.5+02:00'],
    bad: { day: '2025-10-20', no: '2025-13-20T10:00:00Z' },
  },
  { name: 'duration', schema: { type: 'string', format: 'duration' }, good: ['1h30m', '0', 'PT5M'], bad: { bare: '5', word: 'soon' } },
  { name: 'formats', schema: { type: 'string', format: 'ipv4' }, good: ['10.0.0.1'], bad: { high: '10.0.0.256' } },
  { name: 'unknown formats say nothing', schema: { type: 'string', format: 'colour' }, good: ['x'], bad: {} },
  { name: 'minimum on a string says nothing', schema: { type: 'string', minimum: 1 }, good: ['', 'x'], bad: {} },
  { name: 'allOf', schema: { type: 'integer', allOf: [{ minimum: 1 }, { maximum: 3 }] }, good: [2], bad: { low: 0, high: 4 } },
  {
    name: 'allOf with required',
    schema: { type: 'object', properties: { x: {}, y: {} }, allOf: [{ required: ['x'] }] },
    good: [{ x: 1 }],
    bad: { none: { y: 1 } },
  },
  {
    name: 'anyOf with patterns',
    schema: { type: 'string', anyOf: [{ pattern: '^a' }, { pattern: '^b' }] },
    good: ['a', 'b'],
    bad: { c: 'c' },
  },
  {
    name: 'oneOf',
    schema: { type: 'object', properties: { x: {}, y: {} }, oneOf: [{ required: ['x'] }, { required: ['y'] }] },
    good: [{ x: 1 }],
    bad: { none: {}, both: { x: 1, y: 1 } },
  },
  { name: 'not', schema: { type: 'string', not: { enum: ['x'] } }, good: ['y'], bad: { x: 'x' } },
];

describe('a compiled schema', () => {
  it.each(cases)('checks $name', ({ schema, good, bad }) => {
    for (const value of good) expect(against(schema, value)).toEqual([]);
    for (const value of Object.values(bad)) {
      const said = against(schema, value);
      expect(said.length).toBeGreaterThan(0);
      expect(said.every((line) => line.startsWith('spec.a'))).toBe(true);
    }
  });

  it.each([
    { name: 'a choice', schema: { enum: ['docker', 'local'] }, value: 'foo', says: 'spec.a must be one of docker, local (got "foo")' },
    {
      name: 'types',
      schema: { 'x-kubernetes-int-or-string': true },
      value: true,
      says: 'spec.a must be an integer or a string (got true)',
    },
    { name: 'a bound', schema: { type: 'integer', minimum: 1 }, value: 0, says: 'spec.a must be ≥ 1 (got 0)' },
    {
      name: 'unknown fields',
      schema: { properties: { b: {}, c: {} } },
      value: { d: 1 },
      says: 'spec.a.d unknown field; known fields: b, c',
    },
    {
      name: 'what was meant',
      schema: { anyOf: [{ type: 'string' }, { type: 'object', required: ['k'] }] },
      value: {},
      says: 'spec.a.k is required',
    },
    {
      name: 'what any form wants',
      schema: { anyOf: [{ type: 'string' }, { type: 'object' }] },
      value: 5,
      says: 'spec.a must be a string or an object (got 5)',
    },
    {
      name: 'a pattern',
      schema: { type: 'string', pattern: '^[a-z]+$' },
      value: 'A',
      says: 'spec.a must match the pattern "^[a-z]+$" (got "A")',
    },
  ])('says $name in one sentence', ({ schema, value, says }) => {
    expect(against(schema, value)).toEqual([says]);
  });

  it('says all errors at once, of every sort', () => {
    const schema = {
      type: 'object',
      required: ['x', 'n'],
      minProperties: 4,
      properties: {
        n: { type: 'integer' },
        s: { type: 'string', pattern: '^a$', maxLength: 1 },
        l: { type: 'array', uniqueItems: true, items: { type: 'integer' } },
      },
    };
    const paths = against(schema, { s: 'bb', l: [1, 'x', 1], u: 1 }).map((line) => line.split(' ')[0]);
    expect(paths.sort()).toEqual(['spec.a', 'spec.a.l[1]', 'spec.a.l[2]', 'spec.a.n', 'spec.a.s', 'spec.a.s', 'spec.a.u', 'spec.a.x']);
  });

  it('lets anything through that is an object when there is no schema', () => {
    const compiled = compileSchema(undefined);
    const parse = (value: unknown) => 'schema' in compiled && compiled.schema.safeParse(value);
    expect(parse({ a: { b: [1] } })).toMatchObject({ success: true, data: { a: { b: [1] } } });
    expect(parse(undefined)).toMatchObject({ success: true, data: {} });
    expect(parse('x')).toMatchObject({ success: false });
    expect(parse(JSON.parse('{"a":{"__proto__":1}}'))).toMatchObject({ success: false });
  });

  it('does not hand out the value it was given', () => {
    const compiled = compileSchema({ type: 'object' });
    const value: JsonObject = { a: { b: 1 } };
    expect('schema' in compiled && compiled.schema.parse(value)).not.toBe(value);
  });
});

describe('compileSchema refuses', () => {
  it.each([
    { name: 'what is no schema', schema: 'object', path: 'schema' },
    { name: 'a spec that is no object', schema: { type: 'string' }, path: 'schema.type' },
    { name: 'an unknown type', schema: { properties: { a: { type: 'strng' } } }, path: 'schema.properties.a.type' },
    { name: 'an unknown keyword', schema: { properties: { a: { requierd: ['x'] } } }, path: 'schema.properties.a.requierd' },
    { name: 'references, cyclic or not', schema: { properties: { a: { $ref: '#' } } }, path: 'schema.properties.a.$ref' },
    {
      name: 'a pattern that is not linear',
      schema: { properties: { a: { items: { pattern: '(?=a)b' } } } },
      path: 'schema.properties.a.items.pattern',
    },
    { name: 'a back-reference', schema: { properties: { a: { pattern: '(a)\\1' } } }, path: 'schema.properties.a.pattern' },
    {
      name: 'a pattern that is too large',
      schema: { properties: { a: { pattern: '((a{100}){100}){100}' } } },
      path: 'schema.properties.a.pattern',
    },
    { name: 'bounds that cross', schema: { properties: { a: { minimum: 2, maximum: 1 } } }, path: 'schema.properties.a.minimum' },
    {
      name: 'exclusive without a bound',
      schema: { properties: { a: { exclusiveMinimum: true } } },
      path: 'schema.properties.a.exclusiveMinimum',
    },
    {
      name: 'a default that does not fit',
      schema: { properties: { a: { type: 'integer', default: 'x' } } },
      path: 'schema.properties.a.default',
    },
    {
      name: 'a default with a pattern',
      schema: { properties: { a: { pattern: '^b', type: 'string', default: 'x' } } },
      path: 'schema.properties.a.default',
    },
    {
      name: 'a default with unknown fields',
      schema: { properties: { a: { properties: {}, default: { x: 1 } } } },
      path: 'schema.properties.a.default.x',
    },
    {
      name: 'a default in a branch',
      schema: { properties: { a: { anyOf: [{ default: 1 }] } } },
      path: 'schema.properties.a.anyOf[0].default',
    },
    { name: 'a field every object has', schema: { properties: { constructor: {} } }, path: 'schema.properties.constructor' },
    { name: '__proto__', schema: JSON.parse('{"properties":{"__proto__":{}}}'), path: 'schema.properties.__proto__' },
    { name: 'a negative length', schema: { properties: { a: { maxLength: -1 } } }, path: 'schema.properties.a.maxLength' },
  ])('$name, and says where', ({ schema, path }) => {
    expect(refusals(schema)).toContain(path);
  });

  it('what is too large or too deep', () => {
    expect(refusals({ description: 'x'.repeat(70_000) })).toEqual(['schema']);
    let deep: JsonObject = { type: 'string' };
    for (let level = 0; level < 30; level += 1) deep = { type: 'object', properties: { a: deep } };
    expect(refusals(deep)).toHaveLength(1);
  });

  it('all that is wrong at once', () => {
    expect(refusals({ properties: { a: { pattern: '(' }, b: { pattern: '(' }, c: { minItems: 2, maxItems: 1 } } })).toHaveLength(3);
  });
});

describe('compileSchema warns', () => {
  it('of rules that it does not enforce', () => {
    const rules = [{ rule: 'self > 1' }, { rule: 'self == oldSelf' }];
    const compiled = compileSchema({ properties: { a: { 'x-kubernetes-validations': rules, type: 'string', format: 'colour' } } });
    expect('warnings' in compiled && compiled.warnings.map(({ path }) => path)).toEqual([
      'schema.properties.a.format',
      'schema.properties.a.x-kubernetes-validations[0]',
    ]);
  });
});

describe('all that is wrong with a schema', () => {
  const broken = { type: 'text', default: 5 };

  it('is said at once: words, patterns and defaults', () => {
    const properties = {
      word: { type: 'text' },
      range: { type: 'integer', minimum: 5, maximum: 1 },
      pattern: { type: 'string', pattern: '(a)\\1' },
      fallback: { type: 'integer', default: 'x' },
      list: { type: 'array', items: { type: 'string', minLength: -1, pattern: '(?=a)' } },
    };
    expect(refusals({ type: 'object', properties })).toEqual([
      'schema.properties.word.type',
      'schema.properties.list.items.minLength',
      'schema.properties.range.minimum',
      'schema.properties.pattern.pattern',
      'schema.properties.list.items.pattern',
      'schema.properties.fallback.default',
    ]);
  });

  it.each([
    ['a default of the same level', { a: broken }, ['schema.properties.a.type']],
    [
      'a default around it',
      { a: { default: { b: { c: 1 } }, properties: { b: { properties: 5 } } } },
      ['schema.properties.a.properties.b.properties'],
    ],
    ['a field that is no schema', { a: { default: { b: 1 }, properties: { b: 5 } } }, ['schema.properties.a.properties.b']],
    ['a branch that is no schema', { a: { default: 1, anyOf: [{ minimum: 0 }, 7] } }, ['schema.properties.a.anyOf[1]']],
    ['a bound that a word beside it needs', { a: { minimum: 'x', exclusiveMinimum: true } }, ['schema.properties.a.minimum']],
    ['a field called default', { default: broken, b: { default: 1 } }, ['schema.properties.default.type']],
  ])('does not come with what follows from it: %s', (_name, properties, paths) => {
    expect(refusals({ type: 'object', properties })).toEqual(paths);
  });
});
