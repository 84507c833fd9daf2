import type { Runtime, Seen } from '../../../activities/runtimes/runtime.ts';
import type { RuntimeName } from '../../../definitions/core/template.ts';
import type { DoorInstance, DoorList } from './api.ts';

/** The instances of one owner on this node, or of everybody; of all runtimes that can be asked. */
export async function listInstances(runtimes: ReadonlyMap<RuntimeName, Runtime>, uid: string | undefined): Promise<DoorList> {
  const instances: DoorInstance[] = [];
  const unreachable: { runtime: RuntimeName; message: string }[] = [];
  for (const [name, runtime] of runtimes) {
    try {
      instances.push(...(await runtime.list(uid)).map((seen) => doorInstance(name, seen)));
    } catch (error) {
      unreachable.push({ runtime: name, message: error instanceof Error ? error.message : String(error) });
    }
  }
  return { instances, unreachable };
}

function doorInstance(runtime: RuntimeName, { id, name, slot, digest, state, ready, startedAt, owner }: Seen): DoorInstance {
  return { runtime, id, name, slot, digest, state, ready, ...(startedAt === undefined ? {} : { startedAt }), owner };
}
