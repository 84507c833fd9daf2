import { defineKind } from '../core/kind.ts';
import { replicasCommands } from '../replicas/commands.ts';
import { undoCommand } from '../replicas/undo.ts';
import { plan } from './plan.ts';
import { replicatedOf } from './replicated.ts';
import { type ApplicationSpec, applicationSpec, applicationStatus, MAX_REPLICAS } from './schema.ts';

/** An application of elide: so many replicas of one image. Another kind of that name is app.colonies.io's. */
export const elideApplication = defineKind({
  group: 'cloudnative.elide.dev',
  version: 'v1',
  names: {
    kind: 'Application',
    listKind: 'ApplicationList',
    singular: 'application',
    plural: 'applications',
    shortNames: ['app'],
  },
  scope: 'Namespaced',
  description: 'So many replicas of one image, replaced one after the other or all at once',
  spec: applicationSpec,
  status: applicationStatus,
  plan,
  commands: {
    ...replicasCommands<ApplicationSpec>(MAX_REPLICAS),
    undo: undoCommand<ApplicationSpec>({
      replicatedOf,
      keeping: ({ replicas, strategy }, earlier) => ({ ...earlier, replicas, strategy }),
    }),
  },
  columns: [
    { name: 'Replicas', jsonPath: '.spec.replicas', type: 'integer' },
    { name: 'Ready', jsonPath: '.status.readyReplicas', type: 'integer' },
    { name: 'Phase', jsonPath: '.status.phase', type: 'string' },
    { name: 'Age', jsonPath: '.metadata.creationTimestamp', type: 'date' },
    { name: 'Image', jsonPath: '.spec.image', type: 'string', priority: 1 },
    { name: 'Strategy', jsonPath: '.spec.strategy', type: 'string', priority: 1 },
  ],
  hasCleanUp: true,
});
