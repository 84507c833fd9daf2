import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { type Runtime, type Seen, Unreachable } from '../../../activities/runtimes/runtime.ts';

/** As many at once as a node changes for those who are alive. */
const AT_ONCE = 8;

/**
 * Removes instances that nobody answers for any more, each in the manner that it was made with, which may take its time.
 *
 * Guarantees: one that cannot be removed holds up none of the others, and is found again by whoever looks next; one that is
 * being removed is left to that.
 */
export class Broom {
  private readonly gate = pLimit(AT_ONCE);
  private readonly underWay = new Set<string>();

  constructor(private readonly log: Logger) {}

  /** Comes back when all that it has begun are gone, or cannot be removed now. */
  async sweep(runtime: Runtime, left: readonly Seen[], note: (seen: Seen) => void): Promise<void> {
    const mine = left.filter(({ id }) => !this.underWay.has(id));
    for (const { id } of mine) this.underWay.add(id);
    await Promise.all(mine.map((seen) => this.gate(() => this.remove(runtime, seen, note))));
  }

  private async remove(runtime: Runtime, seen: Seen, note: (seen: Seen) => void): Promise<void> {
    const { id, name, owner } = seen;
    note(seen);
    try {
      await runtime.remove(owner.uid, id);
    } catch (error) {
      const reason = (error as Error).message;
      if (!(error instanceof Unreachable)) this.log.warn({ reason, instance: name, resource: owner.resource }, 'could not be removed');
    } finally {
      this.underWay.delete(id);
    }
  }
}
