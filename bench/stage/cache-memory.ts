import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cloneRoot } from '../../src/config.ts';
import type { Contender, WorkerOptions } from '../contender.ts';
import type { Memory } from '../inside/memory.ts';
import { newestEvent } from './histories.ts';
import { inFlight } from './in-flight.ts';
import type { Stage } from './stage.ts';

/** For a worker that keeps everything in its cache and can be asked for its memory. */
export const memoryOptions = (): WorkerOptions => ({
  env: { COLONY_MAX_CACHED_WORKFLOWS: '20000' },
  execArgv: ['--expose-gc', '--require', join(cloneRoot(), 'bench', 'inside', 'memory-hook.cjs')],
});

export interface CacheMemory {
  /** kB for each cached entity. */
  readonly heap: number;
  readonly resident: number;
}

/** From one number of cached idle entities to a larger one, so that what the process itself needs drops out. */
export async function cacheMemory(
  stage: Stage,
  contender: Contender,
  [few, many]: readonly [number, number],
  say: (sentence: string) => void,
): Promise<CacheMemory> {
  const fill = async (from: number, to: number): Promise<Memory> => {
    say(`filling the cache of ${contender.name} up to ${to} …`);
    await inFlight(to - from, 32, (index) => settle(stage, contender, `cached-${from + index}`));
    const memory = await contender.memory();
    if (memory.threads === 0) throw new Error('no workflow thread told its heap');
    say(`${to} cached: heap ${mega(memory.heap)} MB (V8 holds ${mega(memory.heapReserved)}), resident ${mega(memory.resident)} MB`);
    return memory;
  };
  const first = await fill(0, few);
  const second = await fill(few, many);
  const perEntity = (key: 'heap' | 'resident'): number => (second[key] - first[key]) / (many - few) / 1000;
  return { heap: perEntity('heap'), resident: perEntity('resident') };
}

/** Creates one and waits until it has shown its status and is idle. */
async function settle({ client }: Stage, contender: Contender, name: string): Promise<void> {
  const handled = contender.handled(name);
  await contender.apply(name, 1);
  await handled;
  do await sleep(100);
  while (!(await newestEvent(client, contender.workflowIdOf(name))).workflowPropertiesModifiedEventAttributes);
}

const mega = (bytes: number): string => (bytes / 1e6).toFixed(1);
