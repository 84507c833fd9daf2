import pLimit from 'p-limit';

/** Maps with at most `limit` under way; answers stand in the order of the items. The first failure wins, and what waits does not begin. */
export async function inParallel<T, R>(items: readonly T[], limit: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const gate = pLimit(limit);
  try {
    return await Promise.all(items.map((item) => gate(work, item)));
  } finally {
    gate.clearQueue();
  }
}
