import { createRunInstance } from '../flows/run-instance.ts';
import type { Revealer } from '../secrets/revealer.ts';
import { createResolveImage } from './resolve-image.ts';
import { createSyncInstances } from './sync-instances.ts';
import type { Warden } from './warden.ts';

/** The activities of a node's own task queue. */
export function createInstanceActivities(warden: Warden, revealer?: Revealer) {
  return {
    resolveImage: createResolveImage(warden),
    syncInstances: createSyncInstances(warden),
    runInstance: createRunInstance(warden, revealer),
  };
}
