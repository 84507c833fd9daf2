import { forgottenChildren, inventoryOf, removeChildren } from '../core/children.ts';
import type { Plan, View } from '../core/plan.ts';
import { isOrphan, wavesOfLeaving } from './inventory.ts';
import type { ApplicationSpec, ApplicationStatus } from './schema.ts';

/**
 * Takes all children away, those first that need others, by what is remembered of them.
 *
 * Foreground waits for all of them, Background not for the last wave; Orphan lets all of them go free.
 */
export function farewell(view: View<ApplicationSpec>, facts: Partial<ApplicationStatus>): Plan {
  const entries = facts.inventory ?? [];
  const children = inventoryOf(view);
  const isFree = view.propagation === 'Orphan';
  const going = isFree ? [] : children.filter((child) => !isOrphan(entries, child));
  const released = isFree ? children : children.filter((child) => isOrphan(entries, child));
  const steps = removeChildren(view, {
    waves: wavesOfLeaving(going, entries),
    released,
    all: !isFree,
    inBackground: view.propagation !== 'Foreground',
  });
  const { conditions: _conditions, observedGeneration: _generation, phase: _phase, ...own } = view.status ?? {};
  return {
    steps,
    status: own,
    forget: forgottenChildren(view),
    leftBehind: leftBehind(view),
  };
}

/** What would be there without its owner. */
export const leftBehind = (view: Pick<View, 'observed'>): readonly string[] =>
  inventoryOf(view).map(({ kind, name }) => `${kind} ${name}, which it owns.`);
