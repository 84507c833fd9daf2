import { isUnchangedRule } from '../../../definitions/core/json-schema/is-unchanged-rule.ts';

/** The part of JSON Schema that is worth telling, in its own spelling and in OpenAPI's. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly nullable?: boolean;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  /** True: `minimum` itself is too little. A number: it is the limit. */
  readonly exclusiveMinimum?: boolean | number;
  readonly exclusiveMaximum?: boolean | number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly 'x-immutable'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string }[];
}

/** What a map holds under each of its keys. */
export const mapValue = ({ additionalProperties }: Schema): Schema | undefined =>
  typeof additionalProperties === 'object' ? additionalProperties : undefined;

/** `integer`, `[]string`, `map of string`, `string|null`. */
export function typeOf(schema: Schema): string {
  const types = plainType(schema).split('|');
  return [...new Set(schema.nullable && types[0] !== 'any' ? [...types, 'null'] : types)].join('|');
}

function plainType(schema: Schema): string {
  if (schema['x-kubernetes-int-or-string'] || schema.format === 'int-or-string') return 'integer|string';
  const forms = schema.anyOf ?? schema.oneOf;
  if (forms && schema.type === undefined) return forms.map(typeOf).join('|');
  if (schema.type === 'array') return `[]${schema.items ? typeOf(schema.items) : 'any'}`;
  const map = mapValue(schema);
  if (schema.type === 'object' && !schema.properties && map) return `map of ${typeOf(map)}`;
  return schema.type === undefined ? 'any' : [schema.type].flat().join('|');
}

/** What a value must be beyond its type, in the order that helps most: `> 0; ≤ 9; default 3; How large.` */
export function rulesOf(schema: Schema): string {
  const { enum: values, const: only, default: fallback, multipleOf, pattern, format, description } = schema;
  return [
    values ? values.map((value) => JSON.stringify(value)).join(' | ') : '',
    only === undefined ? '' : JSON.stringify(only),
    limit('≥', '>', schema.minimum, schema.exclusiveMinimum),
    limit('≤', '<', schema.maximum, schema.exclusiveMaximum),
    multipleOf === undefined ? '' : `multiple of ${multipleOf}`,
    ...size(schema.minLength, schema.maxLength, 'character', 'characters'),
    ...size(schema.minItems, schema.maxItems, 'item', 'items'),
    schema.uniqueItems ? 'no item twice' : '',
    ...size(schema.minProperties, schema.maxProperties, 'entry', 'entries'),
    pattern ? `/${pattern}/` : '',
    format ?? '',
    isImmutable(schema) ? 'cannot be changed once it is set' : '',
    fallback === undefined ? '' : `default ${JSON.stringify(fallback)}`,
    description ?? '',
  ]
    .filter((part) => part !== '')
    .join('; ');
}

const isImmutable = (schema: Schema): boolean =>
  schema['x-immutable'] === true || (schema['x-kubernetes-validations'] ?? []).some(({ rule }) => isUnchangedRule(rule));

/** Limits that every whole number keeps are not worth telling. */
function limit(within: string, beyond: string, value: number | undefined, exclusive: boolean | number | undefined): string {
  const [sign, at] = typeof exclusive === 'number' ? [beyond, exclusive] : [exclusive ? beyond : within, value];
  return at === undefined || Math.abs(at) >= Number.MAX_SAFE_INTEGER ? '' : `${sign} ${at}`;
}

function size(least: number | undefined, most: number | undefined, one: string, many: string): string[] {
  const told = (sign: string, count: number | undefined): string =>
    count === undefined || count >= Number.MAX_SAFE_INTEGER ? '' : `${sign} ${count} ${count === 1 ? one : many}`;
  return [told('≥', least), told('≤', most)];
}
