import { canonical } from '../definitions/core/replayed/canonical.ts';

/** Looked up once: in the SDK's sandbox every look at a global costs a microsecond, and this is one for each character. */
const { imul } = Math;

/** A 106-bit fingerprint of a JSON value; not for secrets. */
export function fingerprint(value: unknown): string {
  const text = canonical(value);
  return `${mix(text, 0x9e3779b9).toString(36)}-${mix(text, 0x85ebca6b).toString(36)}`;
}

function mix(text: string, seed: number): number {
  let low = 0xdeadbeef ^ seed;
  let high = 0x41c6ce57 ^ seed;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    low = imul(low ^ code, 2654435761);
    high = imul(high ^ code, 1597334677);
  }
  low = imul(low ^ (low >>> 16), 2246822507) ^ imul(high ^ (high >>> 13), 3266489909);
  high = imul(high ^ (high >>> 16), 2246822507) ^ imul(low ^ (low >>> 13), 3266489909);
  return 4294967296 * (2097151 & high) + (low >>> 0);
}
