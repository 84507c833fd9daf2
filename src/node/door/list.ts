import type { Runtime, Seen } from '../../../activities/runtimes/runtime.ts';
import type { RuntimeName } from '../../../definitions/core/template.ts';
import type { DoorInstance, DoorList } from './api.ts';

/** The instances of one owner on this node, or of everybody; of all runtimes that can be asked. */
export async function listInstances(runtimes: ReadonlyMap<RuntimeName, Runtime>, uid: string | undefined): Promise<DoorList> {
  const instances: DoorInstance[] = [];
  const unreachable: { runtime: RuntimeName; message: string }[] = [];
  for (const [name, runtime] of runtimes) {
    try {
      const uids = uid === undefined ? (await runtime.owners()).map((owner) => owner.uid) : [uid];
      for (const one of new Set(uids)) instances.push(...(await runtime.list(one)).map((seen) => doorInstance(name, seen)));
    } catch (error) {
      unreachable.push({ runtime: name, message: error instanceof Error ? error.message : String(error) });
    }
  }
  return { instances, unreachable };
}

function doorInstance(runtime: RuntimeName, { id, name, slot, digest, state, ready, startedAt, owner }: Seen): DoorInstance {
  return { runtime, id, name, slot, digest, state, ready, ...(startedAt === undefined ? {} : { startedAt }), owner };
}
