import type { Observation } from '../core/step.ts';

/** Observations from before they had a field for it say it in their key: `sync/<print>/n2/@…` and `image/…/@<time>n2/<node>`. */
const IN_KEY = /^(?:sync\/[^/]+\/|image\/.*\/@\d+(?=n\d+\/[^/]*$))n(\d+)\//;

/** How often somebody had asked to look again by the time that this was asked for; 0 for what was told unasked. */
export const nudgeOf = (seen: Observation | undefined): number => seen?.nudge ?? Number(IN_KEY.exec(seen?.key ?? '')?.[1] ?? 0);
