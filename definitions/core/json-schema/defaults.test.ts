import { describe, expect, it } from 'vitest';
import { compileSchema } from './index.ts';

function parse(schema: unknown, value: unknown): unknown {
  const compiled = compileSchema(schema);
  if ('issues' in compiled) throw new Error(JSON.stringify(compiled.issues));
  const parsed = compiled.schema.safeParse(value);
  return parsed.success ? parsed.data : 'refused';
}

const counted = { type: 'object', properties: { n: { type: 'integer', default: 1 } } };

describe('defaults', () => {
  it.each([
    { name: 'are filled in', schema: counted, value: {}, result: { n: 1 } },
    { name: 'yield to what is given', schema: counted, value: { n: 2 }, result: { n: 2 } },
    { name: 'fill a whole spec that is absent', schema: counted, value: undefined, result: { n: 1 } },
    { name: 'take the place of null where null is not allowed', schema: counted, value: { n: null }, result: { n: 1 } },
    {
      name: 'leave null where null is allowed',
      schema: { properties: { n: { type: 'integer', nullable: true, default: 1 } } },
      value: { n: null },
      result: { n: null },
    },
    { name: 'do not bring an absent object into being', schema: { properties: { o: counted } }, value: {}, result: {} },
    { name: 'fill an object that is there', schema: { properties: { o: counted } }, value: { o: {} }, result: { o: { n: 1 } } },
    {
      name: 'fill a default object as well',
      schema: { properties: { o: { ...counted, default: {} } } },
      value: {},
      result: { o: { n: 1 } },
    },
    {
      name: 'fill items of lists',
      schema: { properties: { l: { type: 'array', items: counted } } },
      value: { l: [{}, { n: 5 }] },
      result: { l: [{ n: 1 }, { n: 5 }] },
    },
    {
      name: 'fill fields of maps',
      schema: { properties: { m: { type: 'object', additionalProperties: counted } } },
      value: { m: { x: {} } },
      result: { m: { x: { n: 1 } } },
    },
    { name: 'satisfy required', schema: { required: ['n'], ...counted }, value: {}, result: { n: 1 } },
    {
      name: 'stand beside branches',
      schema: { properties: { n: { anyOf: [{ type: 'integer' }, { type: 'string' }], default: 1 } } },
      value: {},
      result: { n: 1 },
    },
    {
      name: 'may be false, zero, empty and null',
      schema: { properties: { a: { default: false }, b: { default: 0 }, c: { default: '' }, d: { nullable: true, default: null } } },
      value: {},
      result: { a: false, b: 0, c: '', d: null },
    },
    {
      name: 'of a map value take the place of null',
      schema: { additionalProperties: { type: 'integer', default: 3 } },
      value: { x: null },
      result: { x: 3 },
    },
  ])('$name', ({ schema, value, result }) => {
    expect(parse(schema, value)).toEqual(result);
    expect(parse(schema, result)).toEqual(result);
  });

  it('are copies: changing one result does not change the next', () => {
    const compiled = compileSchema({ properties: { o: { type: 'object', default: { l: [1] } } } });
    if ('issues' in compiled) throw new Error('unexpected');
    const first = compiled.schema.parse({}) as { o: { l: number[] } };
    first.o.l.push(2);
    expect(compiled.schema.parse({})).toEqual({ o: { l: [1] } });
  });

  it('cannot be used to blow a small spec up', () => {
    const items = { type: 'object', properties: { t: { type: 'string', default: 'x'.repeat(10_000) } } };
    expect(parse({ properties: { l: { type: 'array', items } } }, { l: new Array(50_000).fill({}) })).toBe('refused');
    const nested = compileSchema({ properties: { l: { type: 'array', items, default: new Array(1_000).fill({}) } } }, 'schema');
    expect('issues' in nested && nested.issues.map(({ path }) => path)).toContain('schema.properties.l.default');
  });
});
