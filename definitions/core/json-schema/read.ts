import { issuesOf, sentenceOf } from '../issues/index.ts';
import { jsonIssues, readJson } from '../json.ts';
import type { Issue } from '../kind.ts';
import { limits } from '../limits.ts';
import { pathOf } from '../path.ts';
import { fillDefaults } from './defaults.ts';
import { isKnownFormat } from './format.ts';
import { isUnchangedRule } from './is-unchanged-rule.ts';
import { type RawSchema, rawSchema } from './keywords.ts';
import { withoutRefused } from './mend.ts';
import { compilePattern } from './pattern.ts';
import { ANYTHING, type JsonType, type Schema } from './schema.ts';
import { Work } from './work.ts';

/** All that is wrong with a schema, and what could be read of it nevertheless; warnings name rules that will not be enforced. */
export interface ReadSchema {
  readonly issues: readonly Issue[];
  readonly schema?: Schema;
  readonly warnings: readonly Issue[];
}

interface Place {
  readonly path: readonly (string | number)[];
  readonly isBranch: boolean;
  readonly say: (path: readonly (string | number)[], message: string) => void;
  readonly warn: (path: readonly (string | number)[], message: string) => void;
}

/** Reads a schema from outside into its one form. Never throws; bounded in size and depth. */
export function readSchema(input: unknown, root: string): ReadSchema {
  const json = readJson(input, { bytes: limits.schemaBytes, depth: limits.depth });
  if ('problems' in json) return { issues: jsonIssues(json.problems, root), warnings: [] };
  const { raw, refused } = readKeywords(json.value, root);
  if (!raw) return { issues: refused, warnings: [] };
  const issues: Issue[] = [...refused];
  const warnings: Issue[] = [];
  const note = (list: Issue[]) => (path: readonly (string | number)[], message: string) => {
    list.push({ path: pathOf(root, path), message });
  };
  const schema = read(raw, { path: [], isBranch: false, say: note(issues), warn: note(warnings) }, 1);
  if (schema.types && !schema.types.includes('object'))
    issues.push({ path: pathOf(root, ['type']), message: 'must be object: a spec is an object' });
  return { issues, schema, warnings };
}

/** The keywords of all levels; those that are refused are left out, so that the others can be looked at. */
function readKeywords(value: unknown, root: string): { readonly raw?: RawSchema; readonly refused: readonly Issue[] } {
  const first = rawSchema.safeParse(value, { error: sentenceOf });
  if (first.success) return { raw: first.data, refused: [] };
  const rest = rawSchema.safeParse(
    withoutRefused(
      value,
      first.error.issues.map(({ path }) => path),
    ),
  );
  return { refused: issuesOf(first.error, root), ...(rest.success ? { raw: rest.data } : {}) };
}

function read(raw: RawSchema, place: Place, depth: number): Schema {
  const at = (...more: (string | number)[]) => [...place.path, ...more];
  if (depth > limits.schemaDepth) {
    place.say(at(), `is nested too deeply: at most ${limits.schemaDepth} levels`);
    return ANYTHING;
  }
  const inner = (schema: RawSchema, ...more: (string | number)[]) => read(schema, { ...place, path: at(...more) }, depth + 1);
  const branch = (schema: RawSchema, ...more: (string | number)[]) =>
    read(schema, { ...place, path: at(...more), isBranch: true }, depth + 1);
  const branches = (key: 'allOf' | 'anyOf' | 'oneOf') => (raw[key] ?? []).map((schema, index) => branch(schema, key, index));
  checkNames(raw, place);
  const shape: Schema = {
    ...scalarsOf(raw, place),
    ...typesOf(raw, place.isBranch),
    isNullable: raw.nullable ?? false,
    isImmutable: isImmutable(raw, place),
    ...optional('allowed', allowedOf(raw)),
    ...optional('items', raw.items && inner(raw.items, 'items')),
    isUnique: raw.uniqueItems === true || raw['x-kubernetes-list-type'] === 'set',
    ...optional('itemKeys', raw['x-kubernetes-list-type'] === 'map' ? raw['x-kubernetes-list-map-keys'] : undefined),
    ...optional(
      'properties',
      raw.properties && new Map(Object.entries(raw.properties).map(([name, schema]) => [name, inner(schema, 'properties', name)])),
    ),
    required: raw.required ?? [],
    ...optional(
      'additional',
      typeof raw.additionalProperties === 'object' ? inner(raw.additionalProperties, 'additionalProperties') : undefined,
    ),
    ...optional('isOpen', isOpen(raw)),
    allOf: branches('allOf'),
    anyOf: branches('anyOf'),
    oneOf: branches('oneOf'),
    ...optional('not', raw.not && branch(raw.not, 'not')),
    isBranch: place.isBranch,
  };
  return withFallback(shape, raw, place);
}

function scalarsOf(raw: RawSchema, { path, say, warn }: Place): Partial<Schema> {
  const { minLength, maxLength, minimum, maximum, multipleOf, minItems, maxItems, minProperties, maxProperties, format } = raw;
  const pairs = {
    Length: [minLength, maxLength],
    Items: [minItems, maxItems],
    Properties: [minProperties, maxProperties],
    imum: [minimum, maximum],
  };
  for (const [name, [low, high]] of Object.entries(pairs)) {
    if (low !== undefined && high !== undefined && low > high)
      say([...path, `min${name}`], `must be ≤ max${name} (got ${low} and ${high})`);
  }
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (raw[exclusive] === true && raw[bound] === undefined)
      say([...path, exclusive], `needs a ${bound} beside it, or must be a number itself`);
  }
  if (format !== undefined && !isKnownFormat(format))
    warn([...path, 'format'], `the format ${JSON.stringify(format)} is not known and not checked`);
  const pattern = raw.pattern === undefined ? undefined : compilePattern(raw.pattern);
  if (pattern && 'problem' in pattern) say([...path, 'pattern'], pattern.problem);
  return {
    ...optional('minLength', minLength),
    ...optional('maxLength', maxLength),
    ...optional('pattern', pattern && 'test' in pattern ? pattern : undefined),
    ...optional('format', format),
    ...optional('minimum', raw.exclusiveMinimum === true ? undefined : minimum),
    ...optional('maximum', raw.exclusiveMaximum === true ? undefined : maximum),
    ...optional('exclusiveMinimum', boundOf(raw.exclusiveMinimum, minimum)),
    ...optional('exclusiveMaximum', boundOf(raw.exclusiveMaximum, maximum)),
    ...optional('multipleOf', multipleOf),
    ...optional('minItems', minItems),
    ...optional('maxItems', maxItems),
    ...optional('minProperties', minProperties),
    ...optional('maxProperties', maxProperties),
  };
}

const boundOf = (exclusive: boolean | number | undefined, neighbour: number | undefined): number | undefined =>
  typeof exclusive === 'number' ? exclusive : exclusive ? neighbour : undefined;

/** Outside branches a shape implies its type: who writes `properties` means an object. */
function typesOf(raw: RawSchema, isBranch: boolean): { readonly types?: readonly JsonType[] } {
  if (raw['x-kubernetes-int-or-string'] || raw.format === 'int-or-string') return { types: ['integer', 'string'] };
  if (raw.type !== undefined) return { types: [raw.type].flat() };
  if (isBranch) return {};
  if (raw.properties || typeof raw.additionalProperties === 'object') return { types: ['object'] };
  return raw.items ? { types: ['array'] } : {};
}

function allowedOf(raw: RawSchema): readonly unknown[] | undefined {
  return Object.hasOwn(raw, 'const') ? [raw.const] : raw.enum;
}

function isOpen(raw: RawSchema): boolean | undefined {
  if (raw['x-kubernetes-preserve-unknown-fields'] || raw.additionalProperties === true) return true;
  return raw.additionalProperties === false ? false : undefined;
}

function isImmutable(raw: RawSchema, { path, warn }: Place): boolean {
  let found = raw['x-immutable'] ?? false;
  for (const [index, { rule }] of (raw['x-kubernetes-validations'] ?? []).entries()) {
    if (isUnchangedRule(rule)) found = true;
    else warn([...path, 'x-kubernetes-validations', index], 'this rule is not enforced; only "self == oldSelf" is');
  }
  return found;
}

/** Names that every JavaScript object already has could not be told from fields that are there. */
function checkNames(raw: RawSchema, { path, say }: Place): void {
  for (const name of Object.keys(raw.properties ?? {})) {
    if (name in Object.prototype) say([...path, 'properties', name], 'is a reserved name and cannot be a field');
  }
}

function withFallback(schema: Schema, raw: RawSchema, { path, isBranch, say }: Place): Schema {
  if (!Object.hasOwn(raw, 'default')) return schema;
  if (isBranch) {
    say([...path, 'default'], 'is not applied inside allOf, anyOf, oneOf or not; move it beside them');
    return schema;
  }
  const work = new Work();
  if (!work.affords(schema, raw.default)) say([...path, 'default'], 'costs too much to check against the schema around it');
  if (work.isOverdrawn) return schema;
  const value = fillDefaults(schema, raw.default, work);
  if (work.isOverfilled) say([...path, 'default'], `is too large with the defaults nested in it: at most ${limits.manifestBytes} bytes`);
  return { ...schema, fallback: { value, bytes: JSON.stringify(value).length } };
}

/** A field only when there is a value: absent and undefined are two things here. */
function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
}
