import type { Manifest } from '../../definitions/core/resource.ts';
import type { RunManifestOf } from './create-run.ts';

/** Stands in until definitions/workflow/run-manifest.ts is there. */
export const runManifestOf: RunManifestOf = ({ apiVersion, kind, metadata, spec }, { name, params }): Manifest => ({
  apiVersion,
  kind: 'WorkflowRun',
  metadata: {
    name,
    ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
    ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true }],
  },
  spec: { workflow: metadata.name, params, steps: spec.steps },
});
