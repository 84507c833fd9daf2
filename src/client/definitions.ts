import type { Kind } from '../../definitions/core/kind.ts';
import { kindOf } from '../../definitions/resource-definition/kind-of.ts';
import type { DefinitionSpec } from '../../definitions/resource-definition/schema.ts';
import type { KnownKind } from './api.ts';

/** A kind as its definition says it. Guarantees: the schema is compiled only when somebody looks at it, because most reads never do. */
export function definedKind(spec: DefinitionSpec): KnownKind {
  const { group, version, names, scope, columns } = spec;
  let compiled: Kind | undefined;
  const whole = (): Kind => {
    compiled ??= kindOf(spec);
    return compiled;
  };
  const kind: Kind = {
    group,
    version,
    names,
    scope,
    columns,
    hasCleanUp: spec.handler !== null,
    get spec() {
      return whole().spec;
    },
    admit: (next, view, context) => whole().admit?.(next, view, context) ?? {},
    plan: (view) => whole().plan(view),
  };
  return { kind, builtIn: false, names, columns };
}

/** A kind that colony handles itself. */
export const builtInKind = (kind: Kind): KnownKind => ({ kind, builtIn: true, names: kind.names, columns: kind.columns ?? [] });
