import type { Resource } from '../../../definitions/core/resource.ts';

/** What became of a resource. DELETED carries it as it was last seen. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly workflowId: string;
  readonly resource: Resource;
  /** As it was known before; absent for ADDED. */
  readonly before?: Resource;
}

/** A resourceVersion as a number: they grow, also across resources and re-creation. */
export const versionOf = (resource: Resource): number => Number(resource.metadata.resourceVersion);
