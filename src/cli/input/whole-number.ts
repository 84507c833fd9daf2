import { UsageError } from '../usage-error.ts';

/** A count that an option names, from 1. */
export const wholeNumber = (text: string, option: string): number => countFrom(1, text, option);

/** A count that an option names, with the least it may be. */
export function countFrom(least: number, text: string, option: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < least)
    throw new UsageError(`${option} is ${JSON.stringify(text)}; it must be a whole number from ${least}`);
  return value;
}
