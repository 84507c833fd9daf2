import type { LimitFunction } from 'p-limit';
import type { Reporting } from './reporting.ts';

export interface Turn<T> {
  /** What a person reads while it is under way; undefined: nothing, as there is hardly anything to do. */
  readonly words: (item: T) => string | undefined;
  readonly work: (item: T) => Promise<void>;
}

/**
 * All at once as far as the gate allows; nothing new is begun after a cancel, what has begun is waited for.
 *
 * Tells how many are done of those that are told of, and the one that was begun first of those under way.
 */
export async function forEach<T>(
  gate: LimitFunction,
  items: readonly T[],
  { report, signal }: Pick<Reporting, 'report' | 'signal'>,
  { words, work }: Turn<T>,
): Promise<void> {
  const total = items.filter((item) => words(item) !== undefined).length;
  const underWay = new Map<T, string>();
  let done = 0;
  const tell = (): void => {
    const [doing] = underWay.values();
    if (doing !== undefined) report({ doing, done, total });
  };
  const one = async (item: T): Promise<void> => {
    if (signal.aborted) return;
    const doing = words(item);
    if (doing === undefined) return work(item);
    underWay.set(item, doing);
    tell();
    try {
      await work(item);
      done += 1;
    } finally {
      underWay.delete(item);
      tell();
    }
  };
  const all = await Promise.allSettled(items.map((item) => gate(one, item)));
  const failed = all.find((each): each is PromiseRejectedResult => each.status === 'rejected');
  if (failed) throw failed.reason;
}
