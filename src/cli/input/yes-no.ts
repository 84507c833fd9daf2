import { UsageError } from '../usage-error.ts';

/** Reads `--wait`, `--wait=false` and `--no-wait`. */
export function yesNo(value: boolean | string | undefined, option: string, otherwise: boolean): boolean {
  if (value === undefined) return otherwise;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw new UsageError(`${option} is ${JSON.stringify(value)}; it must be true or false`);
}
