import { setTimeout as sleep } from 'node:timers/promises';
import { BroadcastChannel } from 'node:worker_threads';

export interface Memory {
  /** Living objects and buffers of all threads, after a garbage collection; bytes. */
  readonly heap: number;
  /** What V8 holds for them, free room included; bytes. */
  readonly heapReserved: number;
  /** What the operating system has given to the process, native half of the SDK included; bytes. */
  readonly resident: number;
  readonly threads: number;
}

type Heap = Pick<NodeJS.MemoryUsage, 'heapUsed' | 'heapTotal' | 'external'>;

const ANSWERS_WITHIN_MS = 60_000;
/** After the first answer, for other threads if there are any, and for V8 to give pages back. */
const GRACE_MS = 2_000;

/** Assumes --expose-gc and --require memory-hook.cjs. */
export async function measureMemory(): Promise<Memory> {
  const threads = new Map<number, Heap>();
  const channel = new BroadcastChannel('colony-bench-memory');
  channel.onmessage = (event) => {
    const { threadId, ...heap } = (event as { data: Heap & { threadId: number } }).data;
    threads.set(threadId, heap);
  };
  for (let i = 0; i < 3; i += 1) (globalThis as { gc?: () => void }).gc?.();
  channel.postMessage('measure');
  for (const until = Date.now() + ANSWERS_WITHIN_MS; threads.size === 0 && Date.now() < until; ) await sleep(50);
  await sleep(GRACE_MS);
  channel.close();
  const own = process.memoryUsage();
  const heaps: Heap[] = [own, ...threads.values()];
  const sum = (size: (heap: Heap) => number): number => heaps.reduce((total, heap) => total + size(heap), 0);
  return {
    heap: sum(({ heapUsed, external }) => heapUsed + external),
    heapReserved: sum(({ heapTotal, external }) => heapTotal + external),
    resident: own.rss,
    threads: threads.size,
  };
}
