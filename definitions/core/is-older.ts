import type { Metadata } from './resource.ts';

type Born = Pick<Metadata, 'name' | 'creationTimestamp'>;

/** Which of two was there first; of two that came at once, the one whose name comes first, so that everybody says the same. */
export function isOlder(a: Born, b: Born): boolean {
  if (a.creationTimestamp === b.creationTimestamp) return a.name < b.name;
  return a.creationTimestamp < b.creationTimestamp;
}
