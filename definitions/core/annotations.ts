/** Annotations that colony itself reads. */
export const annotations = {
  /** `"true"`: hands off until it is removed; deletion still goes on. */
  paused: 'colony.io/paused',
  /** Any new value: look now. */
  reconcile: 'colony.io/reconcile',
  /** `"true"`, or `Kind/name` of one: whoever wants this resource as its child may have it. */
  adopt: 'colony.io/adopt',
  /** Id of the workflow of the owner, which is told of every change. */
  owner: 'colony.io/owner',
  /** Which values the owner is told, as paths separated by spaces: `status.endpoint`, `status.zones["eu.north"]`. */
  tells: 'colony.io/tells',
} as const;

/** The finalizer that stands for a kind's own clean-up; nobody can take it off by hand. */
export const CLEAN_UP = 'colony.io/clean-up';
