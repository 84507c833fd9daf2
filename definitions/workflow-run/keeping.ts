import type { JsonObject } from '../core/resource.ts';
import type { Step } from '../core/step.ts';
import { msOf } from '../flows/duration.ts';
import { ONCE } from './flight.ts';
import { type Node, withInner } from './node.ts';
import type { Run } from './run.ts';
import { fill } from './scope.ts';

const CACHE_MS = 30_000;
const DEFAULT_AGE_MS = 24 * 3_600_000;
const NOBODY: ReadonlySet<string> = new Set();

/**
 * Results that others may use are put away; whether that works does not matter to the run.
 *
 * @param undone what is not true any more: it is forgotten, also where somebody else has kept the same meanwhile, who loses little by it.
 */
export function keepSteps({ circle: { facts }, view }: Run, nodes: readonly Node[], undone = NOBODY): Step[] {
  return withInner(nodes).flatMap(({ path, spec, phase, type, isCached, attempts, around }) => {
    if (!spec.cache || phase !== 'Succeeded' || isCached || type === 'loop') return [];
    const isGone = undone.has(path);
    // One lane for both: what is kept at this very moment is forgotten only after that.
    const about = `keep/${path}`;
    const key = `${about}/a${attempts}${isGone ? '/undone' : ''}`;
    const landed = facts.landed(path);
    if (!landed || facts.answer(about, key) || facts.trouble(about, key)) return [];
    const cacheKey = fill(spec.cache.key, around);
    if ('problem' in cacheKey) return [];
    const input: JsonObject = {
      key: String(cacheKey.value),
      ...(isGone ? { value: null, ttlMs: 0 } : { value: landed.value, ttlMs: msOf(spec.cache.maxAge) ?? DEFAULT_AGE_MS }),
      namespace: view.metadata.namespace,
    };
    const summary = `${path}: ${isGone ? 'forget' : 'keep'} the result`.slice(0, 200);
    const reason = isGone ? 'ForgettingResult' : 'KeepingResult';
    return [{ key, about, activity: 'writeCache', reason, summary, input, timeouts: { startToCloseMs: CACHE_MS }, retry: ONCE }];
  });
}
