import type { ApplyOptions, ApplyOutcome } from './api.ts';
import { apply } from './apply.ts';
import type { Context } from './context.ts';
import type { ColonyError } from './errors.ts';
import { asColonyError } from './failures.ts';
import { inParallel } from './in-parallel.ts';

const AT_ONCE = 8;
const DEFINITIONS = ['ResourceDefinition', 'CustomResourceDefinition'];

/** What became of one of several manifests. */
export type ApplyResult = { readonly outcome: ApplyOutcome } | { readonly error: ColonyError };

/** Applies many manifests: definitions first, one after the other, then the rest side by side; the results stand in the given order. */
export async function applyAll(
  context: Context,
  manifests: readonly unknown[],
  options?: Omit<ApplyOptions, 'requestId'>,
): Promise<readonly ApplyResult[]> {
  const results: ApplyResult[] = new Array(manifests.length);
  const one = async (index: number): Promise<void> => {
    results[index] = await apply(context, manifests[index], options).then(
      (outcome) => ({ outcome }),
      (error: unknown) => ({ error: asColonyError(error, 'the manifest') }),
    );
  };
  const indices = manifests.map((_, index) => index);
  for (const index of indices.filter((i) => isDefinition(manifests[i]))) await one(index);
  await inParallel(
    indices.filter((i) => !isDefinition(manifests[i])),
    AT_ONCE,
    one,
  );
  return results;
}

const isDefinition = (manifest: unknown): boolean => DEFINITIONS.includes(String((manifest as { kind?: unknown } | null)?.kind));
