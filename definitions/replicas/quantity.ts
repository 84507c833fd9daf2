import { quote } from '../core/quote.ts';

/** What a person wrote as an amount: the number it means, or what is wrong with it. */
export type Quantity = { readonly value: number } | { readonly problem: string };

const CPU = /^(\d{1,9}(?:\.\d{1,9})?)(m?)$/;
const MEMORY = /^(\d{1,15}(?:\.\d{1,9})?)(b|[kmgt]b?|[KMGTPE]i?B?)?$/;
const DURATION = /^(?:\d{1,9}(?:\.\d{1,6})?(?:ms|s|m|h|d))+$/;
const PERCENT = /^(\d{1,4})%$/;

/** Docker takes no less. */
const MIN_CPUS = 0.01;
const MAX_CPUS = 10_000;
const MIB = 1024 ** 2;
const MIN_MEMORY = 6 * MIB;
const MAX_DURATION_S = 365 * 86_400;

/** Cores: `0.5`, `"0.5"`, `"500m"`. */
export function readCpus(given: string | number): Quantity {
  const [, amount, milli] = CPU.exec(String(given)) ?? [];
  if (amount === undefined) return { problem: `must be cores such as 0.5 or "500m" (got ${quote(given)})` };
  const value = milli ? Number(amount) / 1000 : Number(amount);
  if (value < MIN_CPUS || value > MAX_CPUS) return { problem: `must be between ${MIN_CPUS} and ${MAX_CPUS} cores (got ${quote(given)})` };
  return { value };
}

/**
 * Bytes: `"512Mi"`, `"1.5Gi"`, `"256m"`.
 *
 * Capital letters are Kubernetes' (M = 1000², Mi = 1024²), small ones are Docker's (m = 1024²). A thousandth of a byte,
 * which `m` would be in Kubernetes, is nothing that anybody means.
 */
export function readMemory(given: string | number): Quantity {
  const [, amount, unit = ''] = MEMORY.exec(String(given)) ?? [];
  if (amount === undefined) return { problem: `must be bytes with a unit such as "512Mi" or "1Gi" (got ${quote(given)})` };
  const value = Math.round(Number(amount) * bytesPer(unit));
  if (value < MIN_MEMORY) {
    const hint = unit === '' ? ': without a unit it is bytes' : '';
    return { problem: `must be at least 6Mi (got ${quote(given)}${hint})` };
  }
  if (!Number.isSafeInteger(value)) return { problem: `must be less than 8Pi (got ${quote(given)})` };
  return { value };
}

/** Seconds: `30`, `"500ms"`, `"5m"`, `"1h30m"`. */
export function readDuration(given: string | number): Quantity {
  const seconds = typeof given === 'number' ? given : secondsOf(given);
  if (seconds === undefined) return { problem: `must be a duration such as "10s", "5m" or "1h30m", or seconds (got ${quote(given)})` };
  if (!(seconds >= 0 && seconds <= MAX_DURATION_S)) return { problem: `must be between 0 and 365 days (got ${quote(given)})` };
  return { value: seconds };
}

/** A share such as `"25%"`, as 25; undefined for anything else. */
export function readPercent(given: string): number | undefined {
  const [, amount] = PERCENT.exec(given) ?? [];
  return amount === undefined ? undefined : Number(amount);
}

/** The number that an accepted text means. Throws for one that was not accepted. */
export function amountOf(quantity: Quantity): number {
  if ('problem' in quantity) throw new RangeError(quantity.problem);
  return quantity.value;
}

function bytesPer(unit: string): number {
  const letter = unit.charAt(0);
  if (letter === '' || letter === 'b') return 1;
  const power = 'KMGTPE'.indexOf(letter.toUpperCase()) + 1;
  return (letter === letter.toLowerCase() || unit.charAt(1) === 'i' ? 1024 : 1000) ** power;
}

function secondsOf(text: string): number | undefined {
  if (text.length > 100 || !DURATION.test(text)) return undefined;
  const parts = text.matchAll(/([\d.]+)(ms|s|m|h|d)/g);
  return [...parts].reduce((sum, [, amount, unit = 's']) => sum + (Number(amount) * (MS_PER[unit] ?? 1_000)) / 1_000, 0);
}

const MS_PER: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
