import type { Result } from '../suite.ts';

/** The form for programs; what does not apply is null. */
export function asJson(results: readonly Result[]): string {
  const rows = results.map(({ name, value, unit, max, ours, peer }) => ({
    name,
    value: rounded(value),
    unit,
    max: max ?? null,
    ours: rounded(ours),
    peer: peer === undefined ? null : rounded(peer),
  }));
  return JSON.stringify({ results: rows });
}

/** Enough digits that rounding never hides a missed bound from a reader. */
const rounded = (value: number): number => Number(value.toPrecision(6));
