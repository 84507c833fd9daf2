import type { Result } from '../suite.ts';
import { median } from './statistics.ts';

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

interface Rounds extends Omit<Comparison, 'ours' | 'peer'> {
  /** Of rounds that took turns: the first of ours belongs to the first of the peer's. */
  readonly ours: readonly number[];
  readonly peer: readonly number[];
}

/** For what should be small: how many times the peer's ours is, in the median pair of rounds. */
export function timesPeerInTurn({ of, ours, peer, ...rest }: Rounds): Result {
  const ratios = ours.map((value, index) => value / (peer[index] ?? Number.NaN));
  return { ...rest, ours: median(ours), peer: median(peer), value: median(ratios), unit: `ratio of ${of}` };
}

/** For rates, which should be large, turned round: how many times ours the peer's is, in the median pair of rounds. */
export function peerTimesOurs({ of, ours, peer, ...rest }: Rounds): Result {
  const ratios = ours.map((rate, index) => (peer[index] ?? Number.NaN) / rate);
  return { ...rest, ours: median(ours), peer: median(peer), value: median(ratios), unit: `ratio of ${of}` };
}

/** A number that is bounded as it is. */
export function plain(name: string, value: number, unit: string, more: { readonly max?: number; readonly note?: string } = {}): Result {
  return { name, value, unit, ours: value, ...more };
}

/** False when a bound is missed; what has no bound cannot be missed. A number that is none misses. */
export const isKept = ({ value, max }: Result): boolean => max === undefined || value <= max;
