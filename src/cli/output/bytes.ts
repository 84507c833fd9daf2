const UNITS = ['B', 'Ki', 'Mi', 'Gi', 'Ti'] as const;

/** `12.3Mi`, `512Mi`, `1.5Gi`: three digits are enough. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = value >= 100 || unit === 0 ? 0 : 1;
  return `${value.toFixed(digits).replace(/\.0$/, '')}${UNITS[unit]}`;
}
