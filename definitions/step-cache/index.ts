import { defineKind } from '../core/kind.ts';
import { plan } from './plan.ts';
import { stepCacheSpec } from './schema.ts';

/** The result of a step, kept for others of the same key. */
export const stepCache = defineKind({
  group: 'automation.colonies.io',
  version: 'v1',
  names: { kind: 'StepCache', listKind: 'StepCacheList', singular: 'stepcache', plural: 'stepcaches', shortNames: [] },
  scope: 'Namespaced',
  description: 'The result of a step of a run, kept for later ones',
  spec: stepCacheSpec,
  plan,
  columns: [
    { name: 'Key', jsonPath: '.spec.key', type: 'string' },
    { name: 'Expires', jsonPath: '.spec.expiresAt', type: 'string' },
  ],
  hasCleanUp: false,
});
