import type { ComponentSpec } from '../../../definitions/application/schema.ts';
import { apiVersionOf } from '../../../definitions/core/kind.ts';
import type { KnownKind } from '../../client/api.ts';
import type { PartForecast } from './forecast.ts';

export interface Kinds {
  readonly known: readonly KnownKind[];
  /** Those that definitions among the files are of: `Widget` and `example.com/v1 Widget`. */
  readonly defined: ReadonlySet<string>;
}

type Named = Pick<ComponentSpec, 'kind' | 'apiVersion'>;

/** The kind of a component, or what that says of the component. Built-in kinds win, as they do when it is applied. */
export function findKind({ kind, apiVersion }: Named, { known, defined }: Kinds): KnownKind | Pick<PartForecast, 'operation' | 'note'> {
  const sameName = known.filter(({ names }) => names.kind === kind);
  const fitting = sameName.filter((one) => apiVersion === undefined || apiVersionOf(one.kind) === apiVersion);
  const builtIn = fitting.filter((one) => one.builtIn);
  const [found, another] = builtIn.length > 0 ? builtIn : fitting;
  if (found && !another) return found;
  if (found) return { operation: 'undecided', note: `several kinds are called ${kind}: say apiVersion, one of ${versionsOf(fitting)}` };
  const named = [apiVersion, kind].filter(Boolean).join(' ');
  if (defined.has(named)) return { operation: 'created', note: 'checked when its definition, which comes first, is there' };
  const others = sameName.length > 0 ? `; known: ${versionsOf(sameName)}` : '';
  return { operation: 'undecided', note: `waits until somebody registers the kind ${named}${others}` };
}

const versionsOf = (kinds: readonly KnownKind[]): string =>
  kinds
    .map(({ kind }) => apiVersionOf(kind))
    .sort()
    .join(', ');
