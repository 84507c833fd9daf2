const UNITS = [
  ['y', 365 * 86_400],
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/** A span as kubectl writes it: at most two units, the second only while it still says something (`5m12s`, `3h`, `2d4h`). */
export function humanSpan(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  for (const [index, [unit, size]] of UNITS.entries()) {
    const count = Math.floor(seconds / size);
    if (count === 0) continue;
    const [smaller, smallerSize] = UNITS[index + 1] ?? ['', 1];
    const rest = count < 8 && smaller ? Math.floor((seconds % size) / smallerSize) : 0;
    return rest > 0 ? `${count}${unit}${rest}${smaller}` : `${count}${unit}`;
  }
  return `${seconds}s`;
}

/** How long ago an ISO time was; `<unknown>` for what is no time. */
export function age(time: unknown, now: number): string {
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(at) ? '<unknown>' : humanSpan(now - at);
}
