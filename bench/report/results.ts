import type { Result } from '../suite.ts';

interface Comparison {
  readonly name: string;
  readonly ours: number;
  readonly peer: number;
  /** Unit of both. */
  readonly of: string;
  readonly max?: number;
  readonly note?: string;
}

/** For what should be small: how many times the peer's ours is. */
export function timesPeer({ of, ...rest }: Comparison): Result {
  return { ...rest, value: rest.ours / rest.peer, unit: `ratio of ${of}` };
}

/** For what should be large, turned round: how many times ours the peer's is. */
export function peerTimesOurs({ of, ...rest }: Comparison): Result {
  return { ...rest, value: rest.peer / rest.ours, unit: `ratio of ${of}` };
}

/** A number that is bounded as it is. */
export function plain(name: string, value: number, unit: string, more: { readonly max?: number; readonly note?: string } = {}): Result {
  return { name, value, unit, ours: value, ...more };
}

/** False when a bound is missed; what has no bound cannot be missed. A number that is none misses. */
export const isKept = ({ value, max }: Result): boolean => max === undefined || value <= max;
