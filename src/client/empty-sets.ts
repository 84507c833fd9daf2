/** The sets of metadata that can be changed, as they are when they are taken away: one that a write does not mention stays. */
export const EMPTY_SETS: Readonly<Record<string, object>> = { labels: {}, annotations: {}, finalizers: [], ownerReferences: [] };
