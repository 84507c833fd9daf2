import { z } from 'zod';
import { always } from '../always.ts';
import { typeName } from '../issues/sentence.ts';
import { combine } from './combine.ts';
import { among, fields, items, text } from './rules.ts';
import type { JsonType, Schema } from './schema.ts';
import { adopt, refuseType } from './verdict.ts';
import type { Work } from './work.ts';

/** From a schema to zod; the same schema gives the same. */
export type Convert = (schema: Schema) => z.ZodType;

/**
 * Makes a converter of schemas into zod. The result only checks: defaults are filled in before, and fields that no part of
 * the schema speaks of are found by `unknownFields`, because a branch of `allOf` cannot know what its neighbours describe.
 */
export function converter(work: Work): Convert {
  const known = new Map<Schema, z.ZodType>();
  const convert: Convert = (schema) => {
    const earlier = known.get(schema);
    if (earlier) return earlier;
    const base = combine(byType(schema, work, convert), schema, convert);
    const narrowed = schema.allowed ? z.unknown().check(among(schema.allowed)).pipe(base) : base;
    const made = schema.isNullable ? z.nullable(narrowed) : narrowed;
    known.set(schema, made);
    return made;
  };
  return convert;
}

const ALL_TYPES: readonly JsonType[] = ['string', 'number', 'boolean', 'object', 'array', 'null'];

function byType(schema: Schema, work: Work, convert: Convert): z.ZodType {
  const types = schema.types ?? ALL_TYPES;
  const [only, ...more] = types;
  if (only && more.length === 0) return ofType(schema, only, work, convert);
  // Made when a value of that type comes: most branches never see more than one type.
  const forms = new Map<JsonType, z.ZodType>();
  return z.unknown().check(
    always(({ value, issues }) => {
      const type = types.find((one) => one === typeOf(value)) ?? types.find((one) => one === typeof value);
      if (!type) return refuseType(issues, value, types.map(typeName));
      const form = forms.get(type) ?? ofType(schema, type, work, convert);
      forms.set(type, form);
      adopt(issues, form, value);
    }),
  );
}

function ofType(schema: Schema, type: JsonType, work: Work, convert: Convert): z.ZodType {
  switch (type) {
    case 'string':
      return z.string().check(always(text(schema, work)));
    case 'integer':
      return numeric(z.int(), schema);
    case 'number':
      return numeric(z.number(), schema);
    case 'boolean':
      return z.boolean();
    case 'null':
      return z.null();
    case 'array':
      return z.array(schema.items ? convert(schema.items) : z.unknown()).check(always(items(schema)));
    case 'object':
      return object(schema, convert);
  }
}

function object(schema: Schema, convert: Convert): z.ZodType {
  const shape = Object.fromEntries([...(schema.properties ?? [])].map(([name, inner]) => [name, convert(inner).optional()]));
  const base = schema.additional ? z.object(shape).catchall(convert(schema.additional)) : z.looseObject(shape);
  return base.check(always(fields(schema)));
}

function numeric(base: z.ZodNumber, { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format }: Schema): z.ZodType {
  let schema = base;
  if (minimum !== undefined) schema = schema.gte(minimum);
  if (maximum !== undefined) schema = schema.lte(maximum);
  if (exclusiveMinimum !== undefined) schema = schema.gt(exclusiveMinimum);
  if (exclusiveMaximum !== undefined) schema = schema.lt(exclusiveMaximum);
  if (multipleOf !== undefined) schema = schema.multipleOf(multipleOf);
  return format === 'int32' ? schema.gte(-(2 ** 31)).lte(2 ** 31 - 1) : schema;
}

function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as 'string' | 'boolean' | 'object';
}
