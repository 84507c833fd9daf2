import type { Outcome } from './outcome.ts';

/** The form for programs; a name begins with its suite, what does not apply is null. */
export function asJson(outcomes: readonly Outcome[]): string {
  const rows = outcomes.flatMap(({ suite, results }) =>
    results.map(({ name, value, unit, max, ours, peer }) => ({
      name: `${suite}: ${name}`,
      value: rounded(value),
      unit,
      max: max ?? null,
      ours: rounded(ours),
      peer: peer === undefined ? null : rounded(peer),
    })),
  );
  return JSON.stringify({ results: rows });
}

/** Enough digits that rounding never hides a missed bound from a reader. */
const rounded = (value: number): number => Number(value.toPrecision(6));
