import { UsageError } from '../usage-error.ts';

/** A count that an option names, from 1. */
export function wholeNumber(text: string, option: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new UsageError(`${option} is ${JSON.stringify(text)}; it must be a whole number from 1`);
  return value;
}
