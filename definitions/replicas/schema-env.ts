import { z } from 'zod';
import { complain, repeated, sorted, text } from './schema.ts';

/** Anything that an engine can take for a name. */
export const envName = text
  .min(1)
  .max(1_024)
  .refine((value) => !value.includes('='), 'must not contain "="');
const value = z.union([text, z.number(), z.boolean()]);

/** Environment in both spellings: a map, or a list of name and value. */
export const env = z.union([
  z.record(envName, value),
  z.array(z.strictObject({ name: envName, value: value.default('') })).superRefine((list, context) =>
    complain(
      context,
      repeated(
        list,
        (entry) => entry.name,
        (index) => [index, 'name'],
      ),
    ),
  ),
]);

export type Env = z.infer<typeof env>;

/** All values as texts, by name; later ones win. */
export function envOf(...given: readonly (Env | undefined)[]): Record<string, string> {
  const entries = given.flatMap((one) =>
    Array.isArray(one) ? one.map((entry) => [entry.name, entry.value] as const) : Object.entries(one ?? {}),
  );
  return sorted(Object.fromEntries(entries.map(([key, one]) => [key, String(one)])));
}

/** How colony marks what is its own. */
const RESERVED = /^(colony\.|colonies\.io\/)/;

/** Labels for the instance itself. */
export const instanceLabels = z.record(
  z
    .string()
    .min(1)
    .max(253)
    .refine((key) => !RESERVED.test(key), 'must not begin with "colony." or "colonies.io/", which mark what is colony\'s own'),
  text.max(4_096),
);
