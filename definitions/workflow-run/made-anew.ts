import { bringChildren, inventoryOf, removeChildren } from '../core/children.ts';
import type { ChildRef, ChildWish } from '../core/family.ts';
import type { View } from '../core/plan.ts';
import type { Step } from '../core/step.ts';

/** A wish for a resource that a later attempt makes anew, under the same name: what an earlier one made does not fulfil it. */
export const madeBy = (wish: ChildWish, maker: number): ChildWish => (maker > 1 ? { ...wish, digest: `${wish.digest}@${maker}` } : wish);

/** The attempt that made what a digest is of. */
const makerOf = (digest = ''): number => Number(/@(\d+)$/.exec(digest)?.[1] ?? 1);

/**
 * The steps that bring resources to what is wished of them.
 *
 * Guarantees: what an earlier attempt made is told to go before its name is wished again, so there is one at most; it is known by its
 * uid, so nothing else can be hit, however often that is repeated. It goes by itself: nobody but its own step waits for it.
 */
export function bringAnew(view: View, wishes: readonly ChildWish[]): readonly Step[] {
  const outdated = inventoryOf(view).filter((child) => wishes.some((wish) => isOutdated(child, wish)));
  if (outdated.length === 0) return bringChildren(view, wishes);
  // Under a name of its own: it does not say that all children are gone.
  return removeChildren(view, { waves: [outdated], inBackground: true }).map((step) => ({ ...step, key: `madeAnew/${step.key}` }));
}

const isOutdated = (child: ChildRef, { key, digest }: ChildWish): boolean => child.key === key && makerOf(child.digest) < makerOf(digest);
