import { setTimeout as sleep } from 'node:timers/promises';
import { BroadcastChannel } from 'node:worker_threads';

export interface Memory {
  /** Of all threads, after a garbage collection; bytes. */
  readonly heap: number;
  /** What the operating system has given to the process, native half of the SDK and free pages included; bytes. */
  readonly resident: number;
  readonly threads: number;
}

const ANSWERS_WITHIN_MS = 1_500;

/** Assumes --expose-gc and --require memory-hook.cjs. */
export async function measureMemory(): Promise<Memory> {
  const heaps = new Map<number, number>();
  const channel = new BroadcastChannel('colony-bench-memory');
  channel.onmessage = (event) => {
    const { threadId, heapUsed, external } = (event as { data: { threadId: number; heapUsed: number; external: number } }).data;
    heaps.set(threadId, heapUsed + external);
  };
  for (let i = 0; i < 3; i += 1) (globalThis as { gc?: () => void }).gc?.();
  channel.postMessage('measure');
  await sleep(ANSWERS_WITHIN_MS);
  channel.close();
  const { heapUsed, external, rss } = process.memoryUsage();
  const threads = [...heaps.values()].reduce((sum, heap) => sum + heap, 0);
  return { heap: heapUsed + external + threads, resident: rss, threads: heaps.size };
}
