import { builtInKinds } from '../../../definitions/kinds.ts';
import type { ReadableKind } from '../reading.ts';

/** The built-in kinds without their schemas. scripts/build.mjs evaluates this file and puts the answer into the bundle instead. */
export const builtIn: readonly ReadableKind[] = builtInKinds.map(({ group, version, scope, names, columns }) => ({
  kind: { group, version, scope, names },
  names,
  columns: columns ?? [],
}));
