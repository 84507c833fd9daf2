import { z } from 'zod';
import { always } from '../always.ts';

const types = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null'] as const;
const count = z.int().min(0).optional();
const number = z.number().optional();
/** A number of its own (JSON Schema since 6), or a word on the neighbouring bound (OpenAPI 3.0, Kubernetes). */
const exclusive = z.union([z.boolean(), z.number()]).optional();
const annotation = z.unknown().optional();

/** Keywords that are for people and tools; they are kept, and mean nothing here. */
const annotations = {
  title: annotation,
  description: annotation,
  example: annotation,
  examples: annotation,
  externalDocs: annotation,
  deprecated: annotation,
  readOnly: annotation,
  writeOnly: annotation,
  discriminator: annotation,
  xml: annotation,
  id: annotation,
  $id: annotation,
  $schema: annotation,
  $comment: annotation,
};

const leaf = {
  type: z.union([z.enum(types), z.array(z.enum(types)).min(1)]).optional(),
  enum: z.array(z.unknown()).min(1).optional(),
  const: z.unknown().optional(),
  default: z.unknown().optional(),
  nullable: z.boolean().optional(),
  minLength: count,
  maxLength: count,
  pattern: z.string().optional(),
  format: z.string().optional(),
  minimum: number,
  maximum: number,
  exclusiveMinimum: exclusive,
  exclusiveMaximum: exclusive,
  multipleOf: z.number().positive().optional(),
  minItems: count,
  maxItems: count,
  uniqueItems: z.boolean().optional(),
  required: z.array(z.string()).optional(),
  minProperties: count,
  maxProperties: count,
  'x-immutable': z.boolean().optional(),
  'x-kubernetes-int-or-string': z.boolean().optional(),
  'x-kubernetes-preserve-unknown-fields': z.boolean().optional(),
  'x-kubernetes-list-type': z.enum(['atomic', 'set', 'map']).optional(),
  'x-kubernetes-list-map-keys': z.array(z.string()).optional(),
  'x-kubernetes-validations': z.array(z.looseObject({ rule: z.string(), message: z.string().optional() })).optional(),
};

/** One level of a schema as a person writes it; anything that is no keyword and no `x-` extension is refused by `read`. */
export interface RawSchema extends z.infer<z.ZodObject<typeof leaf>> {
  readonly items?: RawSchema | undefined;
  readonly properties?: Record<string, RawSchema> | undefined;
  readonly additionalProperties?: boolean | RawSchema | undefined;
  readonly allOf?: RawSchema[] | undefined;
  readonly anyOf?: RawSchema[] | undefined;
  readonly oneOf?: RawSchema[] | undefined;
  readonly not?: RawSchema | undefined;
}

const nested = z.lazy((): z.ZodType<RawSchema> => rawSchema);
const branches = z.array(nested).min(1).optional();

const keywords = z.looseObject({
  ...leaf,
  items: nested.optional(),
  properties: z.record(z.string(), nested).optional(),
  additionalProperties: z.union([z.boolean(), nested]).optional(),
  allOf: branches,
  anyOf: branches,
  oneOf: branches,
  not: nested.optional(),
  ...annotations,
});

/** The shape of every level of a schema. Assumes a value that `readJson` has passed, which bounds the recursion. */
export const rawSchema = keywords.check(always(refuseUnknown)) as unknown as z.ZodType<RawSchema>;

function refuseUnknown({ value, issues }: z.core.ParsePayload): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const key of Object.keys(value)) {
    if (key.startsWith('x-') || Object.hasOwn(keywords.shape, key)) continue;
    issues.push({ code: 'custom', message: unsupported(key), path: [key], input: value, continue: true });
  }
}

function unsupported(key: string): string {
  if (key === '$ref') return 'is not supported: write the schema out in its place';
  const known = Object.keys(keywords.shape).filter((name) => !Object.hasOwn(annotations, name) && !name.startsWith('x-'));
  return `is not a keyword that is supported; supported are: ${known.join(', ')}`;
}
