/** Annotations that colony itself reads. */
export const annotations = {
  /** `"true"`: hands off until it is removed; deletion still goes on. */
  paused: 'colony.io/paused',
  /** Any new value: look now. */
  reconcile: 'colony.io/reconcile',
} as const;

/** The finalizer that stands for a kind's own clean-up; nobody can take it off by hand. */
export const CLEAN_UP = 'colony.io/clean-up';
