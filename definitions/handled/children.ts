import { bringChildren, CHILDREN, childProblemsOf, inventoryOf, removeChildren, wishOf } from '../core/children.ts';
import type { ChildRef, ChildWish } from '../core/family.ts';
import type { View } from '../core/plan.ts';
import type { ConditionClaim, JsonObject } from '../core/resource.ts';
import type { Step } from '../core/step.ts';

/** What is to be done for the children, and what they have to say about Ready: nothing while all is well with them. */
export interface Upkeep {
  readonly steps: readonly Step[];
  readonly claim?: ConditionClaim;
}

/** Brings the children there first; those that are no longer named go when the others are there. */
export function keepChildren(view: View, manifests: readonly JsonObject[] | undefined): Upkeep {
  if (!manifests) return { steps: [] };
  const wishes = manifests.map((manifest) => wishOf(keyOf(manifest), manifest));
  const bringing = bringChildren(view, wishes);
  const wished = new Set(wishes.map(({ key }) => key));
  const steps = bringing.length > 0 ? bringing : farewell(view, ({ key }) => !wished.has(key ?? ''), false);
  const claim = claimOf(view, wishes, steps);
  return { steps, ...(claim ? { claim } : {}) };
}

/** Lets all children go, youngest first. `hasWished`: some may be there that a failed step could not put into the inventory. */
export const goodbye = (view: View, hasWished: boolean): readonly Step[] => farewell(view, () => true, hasWished);

/** A handler names its children in the order in which they depend on each other: each goes before the one before it. */
function farewell(view: View, isLeaving: (child: ChildRef) => boolean, all: boolean): readonly Step[] {
  const leaving = inventoryOf(view).filter(isLeaving);
  return removeChildren(view, { waves: leaving.map((child) => [child]).reverse(), all });
}

function keyOf({ apiVersion, kind, metadata }: JsonObject): string {
  const { namespace, name } = (metadata ?? {}) as { readonly namespace?: string; readonly name?: string };
  return [apiVersion, kind, namespace, name].filter((part) => part !== undefined).join('/');
}

function claimOf(view: View, wishes: readonly ChildWish[], steps: readonly Step[]): ConditionClaim | undefined {
  const problem = childProblemsOf(view).find(({ key, digest }) => wishes.some((wish) => wish.key === key && wish.digest === digest));
  if (problem) return { type: 'Ready', status: 'False', reason: `Child${problem.reason}`, message: `${problem.key}: ${problem.message}.` };
  const isReached = view.observed[CHILDREN]?.generation === view.metadata.generation;
  if (steps.length === 0 || isReached) return undefined;
  return { type: 'Ready', status: 'Unknown', reason: 'ApplyingChildren', message: 'Its children are being applied.' };
}
