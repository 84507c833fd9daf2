import { z } from 'zod';
import { unknownField } from '../issues/index.ts';
import { jsonBytes, readJson } from '../json.ts';
import type { Issue } from '../kind.ts';
import { limits } from '../limits.ts';
import type { JsonObject } from '../resource.ts';
import { defaultIssues } from './check-defaults.ts';
import { fillDefaults } from './defaults.ts';
import { immutableIssues } from './immutable.ts';
import { readSchema } from './read.ts';
import { ANYTHING, type Schema } from './schema.ts';
import { type Convert, converter } from './to-zod.ts';
import { levelOf, unknownFields } from './unknown-fields.ts';
import { adopt, type Issues, refuse } from './verdict.ts';
import { Work } from './work.ts';

/** What a JSON Schema becomes. */
export interface CompiledSchema {
  /** Fills in defaults, then says everything that is wrong at once, in sentences for people. */
  readonly schema: z.ZodType<JsonObject>;
  /** What a new spec changes that the schema marks as immutable. */
  readonly immutableIssues: (before: JsonObject, after: JsonObject, root: string) => readonly Issue[];
  /** Rules of the schema that are not enforced. */
  readonly warnings: readonly Issue[];
}

/**
 * Turns a JSON Schema from outside (OpenAPI v3 as in Kubernetes definitions) into zod, or says all that is wrong with it.
 *
 * Guarantees: neither this nor the result throws or hangs, whatever the schema and the value; parsing what was parsed changes
 * nothing. No schema: any object goes. Fields that no part of the schema speaks of are refused.
 */
export function compileSchema(input: unknown, root = 'schema'): { readonly issues: readonly Issue[] } | CompiledSchema {
  if (input === undefined || input === null) return ANY_OBJECT;
  const { schema, warnings, issues: faults } = readSchema(input, root);
  if (!schema) return { issues: faults };
  const work = new Work();
  const convert = converter(work);
  const issues = [...faults, ...defaultIssues(schema, root, { work, convert })];
  return issues.length > 0 ? { issues } : compiled(schema, warnings, work, convert);
}

function compiled(schema: Schema, warnings: readonly Issue[], work: Work, convert: Convert): CompiledSchema {
  return {
    schema: checker(schema, work, convert),
    immutableIssues: (before, after, root) => immutableIssues(schema, before, after, root),
    warnings,
  };
}

const anyWork = new Work();
const ANY_OBJECT = compiled(ANYTHING, [], anyWork, converter(anyWork));
const TOO_MUCH = 'costs too much to check against the schema of its kind: send less, or simplify the patterns and branches of the schema';

function checker(schema: Schema, work: Work, convert: Convert): z.ZodType<JsonObject> {
  const rules = convert({ ...schema, types: ['object'] });
  const level = levelOf([schema]);

  const check = (given: unknown, issues: Issues): unknown => {
    work.open();
    if (!work.affords(schema, given)) return refuse(issues, given, TOO_MUCH);
    const value = fillDefaults(schema, given, work);
    if (work.isOverfilled || (value !== given && jsonBytes(value) > limits.manifestBytes))
      return refuse(issues, given, `is too large with its defaults: at most ${limits.manifestBytes} bytes`);
    if (!work.affords(schema, value)) return refuse(issues, given, TOO_MUCH);
    adopt(issues, rules, value);
    unknownFields(level, value, (path, known) => refuse(issues, given, unknownField(known), path));
    if (work.isOverdrawn) refuse(issues, given, TOO_MUCH);
    return value;
  };

  return z.unknown().transform((input, { issues }) => {
    const json = readJson(input ?? schema.fallback?.value ?? {});
    if ('value' in json) return check(json.value, issues) as JsonObject;
    for (const { path, message } of json.problems) refuse(issues, input, message, path);
    return z.NEVER;
  });
}
