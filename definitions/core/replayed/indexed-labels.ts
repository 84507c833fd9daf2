import { jsonBytes } from './bytes.ts';

/** The server ends a workflow whose attribute has more than 2,048 bytes. */
const MAX_LABELS_BYTES = 1_800;

/** Labels as the search attribute ColonyLabels holds them, sorted: `key=value`; what does not fit is left out (and said: see outlook). */
export const indexedLabels = (labels: Readonly<Record<string, string>>): string[] =>
  divided(labels).indexed.map((key) => `${key}=${labels[key]}`);

/** The names of the labels that the index has no room for, sorted. */
export const unindexedLabels = (labels: Readonly<Record<string, string>>): readonly string[] => divided(labels).unindexed;

function divided(labels: Readonly<Record<string, string>>): { readonly indexed: readonly string[]; readonly unindexed: readonly string[] } {
  const [indexed, unindexed]: [string[], string[]] = [[], []];
  let room = MAX_LABELS_BYTES;
  for (const key of Object.keys(labels).sort()) {
    const bytes = jsonBytes(`${key}=${labels[key]}`) + 1;
    const fits = bytes <= room;
    if (fits) room -= bytes;
    (fits ? indexed : unindexed).push(key);
  }
  return { indexed, unindexed };
}
