import type { ComponentReport } from '../schema.ts';
import type { World } from './world.ts';

export const db = { name: 'db', kind: 'Database', spec: { size: 1 } };
export const web = { name: 'web', kind: 'WebService', spec: { url: '${components.db.status.url}' } };
export const worker = { name: 'worker', kind: 'WorkerPool', spec: { size: '${params.workers}' }, dependsOn: ['web'] };

/** Three, each of which needs the one before. */
export const shop = { params: { workers: 2 }, components: [db, web, worker] };
/** The same that goes back when a release fails. */
export const going = { ...shop, updatePolicy: { onFailure: 'Rollback', progressDeadlineSeconds: 60 } };

export const component = (world: World, name: string): ComponentReport | undefined =>
  world.facts.components.find((one) => one.name === name);
