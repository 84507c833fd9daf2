/** The value below which the share `q` of the values lies, interpolated. Assumes there is at least one. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const below = sorted[Math.floor(at)];
  const above = sorted[Math.ceil(at)];
  if (below === undefined || above === undefined) throw new Error('no value was measured');
  return below + (above - below) * (at - Math.floor(at));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Half the middle half, relative to the median: how far a repetition may be expected to lie off. */
export function spread(values: readonly number[]): number {
  return (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / median(values);
}

/** `41.2 ms ±3 %` */
export function summary(values: readonly number[], unit: string): string {
  return `${figure(median(values))} ${unit} ±${Math.round(spread(values) * 100)} %`;
}

/** Three digits that mean something, never an exponent. */
export function figure(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return String(Math.round(value));
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
