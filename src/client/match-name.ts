import type { Kind, Names } from '../../definitions/core/kind.ts';

/** The parts of a kind that name it. */
interface Named {
  readonly kind: Pick<Kind, 'group' | 'version'>;
  readonly names: Names;
}

/** Every word a person may use for a kind: Widget, widgets, widget, wd, and these with `.group` or `.version.group`. */
export function wordsFor({ kind, names }: Named): string[] {
  const { group, version } = kind;
  const plain = [names.kind, names.plural, names.singular, ...names.shortNames].map((word) => word.toLowerCase());
  return plain.flatMap((word) => [word, `${word}.${group}`, `${word}.${version}.${group}`]);
}

/** The kinds that a word names; several, in the order of their groups, when these share it. */
export function matches<K extends Named>(kinds: readonly K[], word: string): K[] {
  const wanted = word.trim().toLowerCase();
  return kinds.filter((known) => wordsFor(known).includes(wanted)).sort((a, b) => (a.kind.group < b.kind.group ? -1 : 1));
}

/** Kinds that the word may have been meant for, nearest first. */
export function nearMisses<K extends Named>(kinds: readonly K[], word: string): K[] {
  const wanted = word.trim().toLowerCase().slice(0, 64);
  const tolerated = Math.min(2, Math.floor(wanted.length / 3));
  return kinds
    .map((known) => ({ known, distance: Math.min(...wordsFor(known).map((other) => distance(wanted, other.slice(0, 64)))) }))
    .filter((candidate) => candidate.distance <= tolerated)
    .sort((a, b) => a.distance - b.distance)
    .map(({ known }) => known);
}

/** How many letters must be added, left out or changed. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}
