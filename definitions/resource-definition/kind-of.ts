import { z } from 'zod';
import { compileSchema } from '../core/json-schema/index.ts';
import type { Issue, Kind } from '../core/kind.ts';
import type { JsonObject } from '../core/resource.ts';
import { planHandled } from '../handled/plan.ts';
import type { DefinitionSpec } from './schema.ts';

/**
 * Makes a kind of what a definition says.
 *
 * Never throws: should a stored schema no longer be one that compiles, every spec is refused and the refusal says why.
 */
export function kindOf(spec: DefinitionSpec): Kind {
  const { group, version, names, scope, columns } = spec;
  const handler = spec.handler ?? undefined;
  const compiled = compileSchema(spec.schema);
  const isBroken = 'issues' in compiled;
  return {
    group,
    version,
    names,
    scope,
    columns,
    spec: isBroken ? refusing(compiled.issues) : compiled.schema,
    admit: (next, view) => (isBroken || !view ? {} : { issues: compiled.immutableIssues(view.spec, next, 'spec') }),
    plan: (view) => planHandled(handler, view),
    hasCleanUp: handler !== undefined,
  };
}

function refusing(issues: readonly Issue[]): z.ZodType<JsonObject> {
  const [first] = issues;
  const message = `cannot be checked, because the schema of its kind is broken: ${first?.path} ${first?.message}`;
  return z.custom<JsonObject>(() => false, { error: () => message });
}
