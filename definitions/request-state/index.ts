import { defineKind } from '../core/kind.ts';
import { change, commands } from './commands.ts';
import { plan } from './plan.ts';
import { requestStateSpec, requestStateStatus } from './schema.ts';

/** A request that passes from job to job and from hand to hand, with every change of state on the record. */
export const requestState = defineKind({
  group: 'com.redhat.ecosystem.sample',
  version: 'v1',
  names: {
    kind: 'RequestState',
    listKind: 'RequestStateList',
    singular: 'requeststate',
    plural: 'requeststates',
    shortNames: ['rs'],
  },
  scope: 'Namespaced',
  description: 'The state of a request that a director and workers hand to each other',
  spec: requestStateSpec,
  status: requestStateStatus,
  admit: (next, view, context) => change(view, next, context.actor, context),
  plan,
  commands,
  columns: [
    { name: 'Job', jsonPath: '.spec.job', type: 'string' },
    { name: 'State', jsonPath: '.spec.state', type: 'string' },
    { name: 'Attempt', jsonPath: '.status.attempt', type: 'integer' },
    { name: 'Worker', jsonPath: '.status.claim.worker', type: 'string' },
    { name: 'Request', jsonPath: '.spec.request-uid', type: 'string', priority: 1 },
  ],
  hasCleanUp: false,
});
