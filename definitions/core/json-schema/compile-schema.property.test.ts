import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { issuesOf } from '../issues/index.ts';
import { compileSchema } from './index.ts';

/** A schema together with values that fit it by construction. */
interface Fitting {
  readonly schema: Record<string, unknown>;
  readonly value: unknown;
}

const name = fc.constantFrom('a', 'b', 'c', 'request-uid', 'x.y');

const leaf: fc.Arbitrary<Fitting> = fc.oneof(
  fc.tuple(fc.string({ maxLength: 8 }), fc.nat(3), fc.nat(3)).map(([value, less, more]) => {
    const length = [...value].length;
    return { schema: { type: 'string', minLength: Math.max(0, length - less), maxLength: length + more }, value };
  }),
  fc
    .tuple(fc.integer({ min: -1000, max: 1000 }), fc.nat(5))
    .map(([value, room]) => ({ schema: { type: 'integer', minimum: value - room, exclusiveMaximum: value + room + 1 }, value })),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({ schema: { type: 'number', minimum: value }, value })),
  fc.boolean().map((value) => ({ schema: { type: 'boolean', default: value }, value })),
  fc
    .tuple(fc.uniqueArray(fc.jsonValue({ maxDepth: 1 }).filter(isClean), { minLength: 1, maxLength: 4 }), fc.nat())
    .map(([values, at]) => ({ schema: { enum: values }, value: values[at % values.length] })),
  fc
    .jsonValue({ maxDepth: 2, noUnicodeString: true })
    .filter(isClean)
    .map((value) => ({ schema: {}, value })),
  fc.stringMatching(/^[a-z]{1,5}-[0-9]{1,3}$/).map((value) => ({ schema: { type: 'string', pattern: '^[a-z]+-[0-9]+$' }, value })),
  fc.constantFrom(5, '50%').map((value) => ({ schema: { 'x-kubernetes-int-or-string': true }, value })),
  fc.constant({ schema: { type: 'string', nullable: true }, value: null }),
);

const { node } = fc.letrec<{ node: Fitting }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc
      .dictionary(name, tie('node'), { maxKeys: 4 })
      .chain((fields) => fc.subarray(Object.keys(fields)).map((required) => objectOf(fields, required))),
    fc
      .tuple(tie('node'), fc.nat(3))
      .map(([item, count]) => ({ schema: { type: 'array', items: item.schema, maxItems: 3 }, value: new Array(count).fill(item.value) })),
    fc.tuple(tie('node'), fc.uniqueArray(name, { maxLength: 3 })).map(([item, keys]) => ({
      schema: { type: 'object', additionalProperties: item.schema },
      value: Object.fromEntries(keys.map((key) => [key, item.value])),
    })),
    fc
      .tuple(tie('node'), leaf)
      .map(([one, other]) => ({ schema: { anyOf: [withoutDefaults(one.schema), withoutDefaults(other.schema)] }, value: one.value })),
  ),
}));

function objectOf(fields: Record<string, Fitting>, required: string[]): Fitting {
  const entries = Object.entries(fields);
  return {
    schema: { type: 'object', properties: Object.fromEntries(entries.map(([key, { schema }]) => [key, schema])), required },
    value: Object.fromEntries(entries.map(([key, { value }]) => [key, value])),
  };
}

function withoutDefaults(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === 'default' ? undefined : value)));
}

function isClean(value: unknown): boolean {
  return !JSON.stringify(value).includes('__proto__');
}

const spec = fc.dictionary(name, node, { maxKeys: 4 }).map((fields) => objectOf(fields, []));

/** Anything that looks a little like a schema. */
const nonsense = fc.oneof(
  fc.anything({
    maxDepth: 4,
    withNullPrototype: true,
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSparseArray: true,
    withTypedArray: true,
  }),
  fc.dictionary(
    fc.constantFrom(
      'type',
      'properties',
      'items',
      'required',
      'enum',
      'pattern',
      'default',
      'anyOf',
      'not',
      'minimum',
      'nullable',
      '$ref',
      'additionalProperties',
      '__proto__',
      'constructor',
    ),
    fc.oneof(
      fc.anything({ maxDepth: 3 }),
      fc.constantFrom('object', 'string', '(', '(a+)+$'),
      node.map(({ schema }) => schema),
      fc.array(node.map(({ schema }) => schema)),
    ),
  ),
  node.map(({ schema }) => ({ type: 'object', properties: { a: schema } })),
);

describe('compileSchema, for any input', { timeout: 120_000 }, () => {
  it('accepts every value that fits a schema by construction', () => {
    fc.assert(
      fc.property(spec, ({ schema, value }) => {
        const compiled = compileSchema(schema);
        const { error } = 'schema' in compiled ? compiled.schema.safeParse(value) : { error: undefined };
        expect({ compiled: 'issues' in compiled && compiled.issues, said: error && issuesOf(error, 'spec') }).toEqual({
          compiled: false,
          said: undefined,
        });
      }),
      { numRuns: 500 },
    );
  });

  it('fills in defaults once: parsing what was parsed changes nothing', () => {
    fc.assert(
      fc.property(spec, fc.func(fc.boolean()), ({ schema, value }, isKept) => {
        const compiled = compileSchema(withoutRequired(schema));
        const sparse = Object.fromEntries(Object.entries(value as object).filter(([key]) => isKept(key)));
        if ('issues' in compiled) throw new Error(JSON.stringify(compiled.issues));
        const once = compiled.schema.parse(sparse);
        expect(compiled.schema.parse(once)).toEqual(once);
      }),
      { numRuns: 200 },
    );
  });

  it('never throws, and every refusal names a path', () => {
    fc.assert(
      fc.property(nonsense, fc.oneof(fc.anything({ maxDepth: 4 }), fc.dictionary(name, fc.anything())), (schema, value) => {
        const compiled = compileSchema(schema, 'schema');
        if ('issues' in compiled) {
          expect(compiled.issues.length).toBeGreaterThan(0);
          for (const { path, message } of compiled.issues) expect([path.startsWith('schema'), message.length > 0]).toEqual([true, true]);
          return;
        }
        const { error } = compiled.schema.safeParse(value);
        for (const { path } of error ? issuesOf(error, 'spec') : []) expect(path.startsWith('spec')).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('does not mind the order of fields', () => {
    fc.assert(
      fc.property(spec, ({ schema, value }) => {
        const parse = (one: unknown) => {
          const compiled = compileSchema(one);
          return 'schema' in compiled ? compiled.schema.safeParse(reversed(value)).success : 'refused';
        };
        expect(parse(reversed(schema))).toBe(parse(schema));
      }),
      { numRuns: 100 },
    );
  });
});

function withoutRequired(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === 'required' && Array.isArray(value) ? [] : value)));
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, field]) => [key, reversed(field)]),
  );
}
