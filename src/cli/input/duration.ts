import { UsageError } from '../usage-error.ts';

const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;
const WHOLE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
const MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `30s`, `1m30s`, `500ms`, or plain seconds; anything else is a usage error that names the option. */
export function parseDuration(text: string, option: string): number {
  const plain = text.trim();
  if (/^\d+(\.\d+)?$/.test(plain)) return Math.round(Number(plain) * 1_000);
  if (!WHOLE.test(plain)) throw new UsageError(`${option} is ${JSON.stringify(text)}; write a duration such as 30s, 5m or 1h30m`);
  let total = 0;
  for (const [, count, unit] of plain.matchAll(PART)) total += Number(count) * MS[unit as keyof typeof MS];
  return Math.round(total);
}
