import { forgottenChildren, inventoryOf, removeChildren } from '../core/children.ts';
import type { Plan, View } from '../core/plan.ts';
import { readyComponents } from './conditions.ts';
import { isOrphan, wavesOfLeaving } from './inventory.ts';
import { leavingReports } from './leaving.ts';
import type { ApplicationSpec, ApplicationStatus } from './schema.ts';

/**
 * Takes all children away, those first that need others, by what is remembered of them.
 *
 * Foreground waits for all of them, Background not for the last wave; Orphan lets all of them go free.
 * How each of them goes is told meanwhile, without haste.
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
  const components = leavingReports(view, facts, steps.length > 0);
  const isDetail = steps.length > 0 && view.status?.phase === 'Deleting' && Object.keys(view.failing).length === 0;
  return {
    steps,
    status: { ...own, readyComponents: readyComponents(components), components },
    ...(isDetail ? { inDetail: true } : {}),
    forget: forgottenChildren(view),
    leftBehind: leftBehind(view),
  };
}

/** What would be there without its owner. */
export const leftBehind = (view: Pick<View, 'observed'>): readonly string[] =>
  inventoryOf(view).map(({ kind, name }) => `${kind} ${name}, which it owns.`);
