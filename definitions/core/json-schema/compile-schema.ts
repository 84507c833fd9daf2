import { z } from 'zod';
import { unknownField } from '../issues/index.ts';
import { readJson } from '../json.ts';
import type { Issue } from '../kind.ts';
import { limits } from '../limits.ts';
import type { JsonObject } from '../resource.ts';
import { defaultIssues } from './check-defaults.ts';
import { fillDefaults } from './defaults.ts';
import { type FieldPath, immutablePaths } from './immutable.ts';
import { readSchema } from './read.ts';
import { ANYTHING, type Schema } from './schema.ts';
import { toZod } from './to-zod.ts';
import { levelOf, unknownFields } from './unknown-fields.ts';
import { adopt, refuse } from './verdict.ts';
import { Work } from './work.ts';

/** What a JSON Schema becomes. */
export interface CompiledSchema {
  /** Fills in defaults, then says everything that is wrong at once, in sentences for people. */
  readonly schema: z.ZodType<JsonObject>;
  readonly immutable: readonly FieldPath[];
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
  const read = readSchema(input, root);
  if ('issues' in read) return read;
  const work = new Work();
  const issues = defaultIssues(read.schema, root, work);
  if (issues.length > 0) return { issues };
  return { schema: checker(read.schema, work), immutable: immutablePaths(read.schema), warnings: read.warnings };
}

const ANY_OBJECT: CompiledSchema = { schema: checker(ANYTHING, new Work()), immutable: [], warnings: [] };

function checker(schema: Schema, work: Work): z.ZodType<JsonObject> {
  const rules = toZod({ ...schema, types: ['object'] }, work);
  const level = levelOf([schema]);
  return z.unknown().transform((input, context) => {
    const { issues } = context;
    const json = readJson(input ?? schema.fallback?.value ?? {});
    if ('problems' in json) {
      for (const { path, message } of json.problems) refuse(issues, input, message, path);
      return z.NEVER;
    }
    work.begin();
    const value = fillDefaults(schema, json.value, work);
    if (work.isOverfilled) refuse(issues, input, `is too large with its defaults: at most ${limits.manifestBytes} bytes`);
    adopt(issues, rules, value);
    unknownFields(level, value, (path, known) => refuse(issues, input, unknownField(known), path));
    if (work.isOverdrawn)
      refuse(
        issues,
        input,
        'costs too much to check against the schema of its kind: send less text, or simplify its patterns and branches',
      );
    return value as JsonObject;
  });
}
