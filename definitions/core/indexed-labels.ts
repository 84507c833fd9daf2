import { jsonBytes } from './json.ts';

/** What one search attribute holds of labels; the workflow publishes by the same measure (workflows/publish.ts). */
const MAX_LABELS_BYTES = 1_800;

/** The names of the labels that the index has no room for, sorted. */
export function unindexedLabels(labels: Readonly<Record<string, string>>): readonly string[] {
  let room = MAX_LABELS_BYTES;
  return Object.keys(labels)
    .sort()
    .filter((key) => {
      const bytes = jsonBytes(`${key}=${labels[key]}`) + 1;
      if (bytes > room) return true;
      room -= bytes;
      return false;
    });
}
