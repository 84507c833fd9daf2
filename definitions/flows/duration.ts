import { readDuration } from '../replicas/quantity.ts';

/** What an accepted duration means, in milliseconds; undefined for what is none, as a filled template may be. */
export function msOf(given: unknown): number | undefined {
  if (typeof given !== 'string' && typeof given !== 'number') return undefined;
  const read = readDuration(given);
  return 'value' in read ? Math.round(read.value * 1_000) : undefined;
}

/** As the documents show it: `1h23m45s`; what is shorter than a minute has its tenths. */
export function durationText(ms: number): string {
  if (ms < 60_000) return `${Math.floor(Math.max(0, ms) / 100) / 10}s`;
  const seconds = Math.floor(ms / 1_000);
  const [h, m, s] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${h > 0 ? `${h}h` : ''}${m}m${s}s`;
}
