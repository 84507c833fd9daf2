import { NotFoundError } from '../../client/errors.ts';
import { pause } from '../../client/pause.ts';
import type { DoorInstance } from '../../node/door/api.ts';
import type { Selected } from '../selection.ts';
import { type Here, named } from './find.ts';
import { reportsOf } from './reports.ts';

const LOOK_AGAIN_MS = 500;

export interface Following {
  readonly selected: Selected;
  readonly place: Here;
  /** Only those that this names. */
  readonly wanted: string | undefined;
  readonly signal: AbortSignal;
  /** Reads one life of one instance to its end; false when that failed. */
  readonly read: (instance: DoorInstance, all: readonly DoorInstance[], isLater: boolean) => Promise<boolean>;
}

/**
 * Reads every life of every instance on this node, also of those that come later, each once.
 *
 * Ends with the signal; when the resource is gone or all its instances have done their work; or when something failed and nothing
 * is left to be read. True when nothing failed.
 */
export async function follow(first: readonly DoorInstance[], { selected, place, wanted, signal, read }: Following): Promise<boolean> {
  const known = new Set<string>();
  const reading = new Set<Promise<unknown>>();
  let isGood = true;
  const begin = (all: readonly DoorInstance[], isLater: boolean): void => {
    // Who has not begun has said nothing, and would be taken for another life once it has.
    const begun = all.filter(({ startedAt }) => startedAt !== undefined);
    for (const instance of begun.filter((one) => !known.has(lifeOf(one)))) {
      known.add(lifeOf(instance));
      const done = read(instance, all, isLater).then((isWell) => {
        isGood &&= isWell;
        reading.delete(done);
      });
      reading.add(done);
    }
  };
  begin(first, false);
  for (;;) {
    await pause(LOOK_AGAIN_MS, { signal });
    if (signal.aborted) break;
    const seen = await look(selected, place).catch((error: unknown) => {
      // What is being read goes on without Temporal.
      if (reading.size === 0) throw error;
    });
    if (!seen) continue;
    begin(wanted === undefined ? seen.instances : named(seen.instances, wanted), true);
    if (reading.size === 0 && (seen.isOver || !isGood)) break;
  }
  await Promise.all(reading);
  return isGood;
}

async function look({ resources, ref }: Selected, { door }: Here): Promise<{ instances: readonly DoorInstance[]; isOver: boolean }> {
  try {
    const resource = await resources.get(ref);
    const reports = reportsOf(resource);
    const isOver = reports.length > 0 && reports.every(({ state }) => state === 'finished');
    return { instances: (await door.instances(resource.metadata.uid)).instances, isOver };
  } catch (error) {
    if (error instanceof NotFoundError) return { instances: [], isOver: true };
    throw error;
  }
}

const lifeOf = ({ id, startedAt }: DoorInstance): string => `${id}@${startedAt}`;
