import type { Child } from './child.ts';

/** Who waits for an executor process to say that it was called for an entity. */
export class Calls {
  private readonly waiting = new Map<string, () => void>();

  constructor(executor: Child) {
    executor.listen((name) => {
      this.waiting.get(name as string)?.();
      this.waiting.delete(name as string);
    });
  }

  next(name: string): Promise<void> {
    return new Promise((resolve) => this.waiting.set(name, resolve));
  }
}
