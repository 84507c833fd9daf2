import type { InstanceOwner, InstanceRevision } from '../../../definitions/core/instance.ts';
import type { Template } from '../../../definitions/core/template.ts';

/** For tests beside this code. */
export const owner: InstanceOwner = { uid: 'u-1', resource: 'webservice/default/shop', name: 'shop' };

export function revisionWith(changes: Partial<Template> = {}): InstanceRevision {
  const template: Template = {
    runtime: 'docker',
    image: 'shop:1',
    pullPolicy: 'IfNotPresent',
    entrypoint: [],
    command: [],
    env: {},
    mounts: [],
    ports: [],
    limits: {},
    capabilities: [],
    privileged: false,
    labels: {},
    probes: {},
    stop: { signal: 'SIGTERM', graceSeconds: 10 },
    ...changes,
  };
  return { digest: 'abcdef0123456789', generation: 3, template };
}
