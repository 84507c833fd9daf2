import type { Runtime, Seen } from '../runtimes/runtime.ts';

interface Look {
  readonly at: number;
  readonly listed: Promise<readonly Seen[]>;
}

/** One look at an owner's instances for all who wait for one of them. */
export class SharedLook {
  private readonly last = new Map<string, Look>();

  /** What is there, as somebody saw it at most so long ago, and not before that moment. */
  async list(runtime: Runtime, uid: string, maxAgeMs: number, notBefore: number): Promise<readonly Seen[]> {
    const key = `${runtime.name}/${uid}`;
    const known = this.last.get(key);
    if (known && known.at >= Math.max(notBefore, Date.now() - maxAgeMs)) return await known.listed;
    const look: Look = { at: Date.now(), listed: runtime.list(uid) };
    this.last.set(key, look);
    try {
      return await look.listed;
    } finally {
      setTimeout(() => this.forget(key, look), maxAgeMs).unref();
    }
  }

  private forget(key: string, look: Look): void {
    if (this.last.get(key) === look) this.last.delete(key);
  }
}
