import { inventoryOf, isBrought } from '../core/children.ts';
import type { ChildRef, ChildWish } from '../core/family.ts';
import type { View } from '../core/plan.ts';
import { unique } from './component.ts';
import { type Goal, isOf, wantedOf, wishedOf } from './goal.ts';
import { graphOf, grouped, merged, wavesOf } from './graph.ts';
import { deadlineOf, isHeld } from './release.ts';
import type { ApplicationSpec, InventoryEntry, Release } from './schema.ts';

/** A failed release on its way back to the last good set. */
export interface WayBack {
  readonly release: Release;
  /** What is brought back by now. */
  readonly wishes: readonly ChildWish[];
  /** What the failed release had made and what goes now. */
  readonly leaving: readonly ChildRef[];
}

/** Between what it goes back. */
interface Sets {
  readonly failed: Goal;
  readonly former: Goal;
  /** What is remembered of what is there. */
  readonly entries: readonly InventoryEntry[];
}

/**
 * Goes back wave by wave, those first that need others: each wave waits until the one before it is ready again and what was
 * new in it is gone, but no longer than the deadline.
 *
 * Guarantees: how far it came stands in the release, so that whoever takes over goes on from there; a wave that was passed
 * stays passed; what the failed release did not change is not touched.
 */
export function wayBack(view: View<ApplicationSpec>, release: Release, sets: Sets): WayBack {
  const { failed, former } = sets;
  const wished = wishedOf(former);
  const changed = wished.filter(({ wish }) => !isBrought(view, wish)).map(({ component }) => component.name);
  // What a cancelled step still changes after the decision has to go back as well.
  const returning = [...unique([...(release.returning ?? []), ...changed])];
  const waves = release.waves ?? wavesBack(view, sets);
  const leaving = newcomersOf(view, failed, former);
  const isBusy = (name: string): boolean => returning.includes(name) || leaving.some(({ key }) => key === name);
  const isDone = (name: string): boolean => {
    if (leaving.some(({ key }) => key === name)) return false;
    const one = wished.find(({ component }) => component.name === name);
    return !one || !returning.includes(name) || (isBrought(view, one.wish) && one.isReady);
  };
  let wave = release.wave ?? 0;
  let progressedAt = isHeld(view) ? iso(view.now) : release.progressedAt;
  const isOverdue = (): boolean => deadlineOf(view, { ...release, progressedAt }) <= view.now;
  while (!isFlying(view) && wave < waves.length && (waves[wave]?.every(isDone) || isOverdue())) {
    if (waves[wave]?.some(isBusy)) progressedAt = iso(view.now);
    wave += 1;
  }
  const isBack = wave === waves.length;
  const ahead = waves.slice(wave + 1).flat();
  const { returning: _returning, waves: _waves, wave: _wave, ...done } = release;
  const message = release.message.replace(/; everything goes back\.$/, '; everything was taken back.');
  return {
    release: isBack
      ? { ...done, phase: 'RolledBack', progressedAt: iso(view.now), message }
      : { ...release, progressedAt, returning, waves: waves.map((names) => [...names]), wave },
    wishes: wished.filter(({ component }) => !ahead.includes(component.name)).map(({ wish }) => wish),
    leaving: leaving.filter(({ key }) => !ahead.includes(key ?? '')),
  };
}

/** While a step is in the air, also one that nobody wants any more, nobody knows what it will leave. */
const isFlying = ({ inAir = [] }: Pick<View, 'inAir'>): boolean => inAir.some((key) => /^children(Gone)?\//.test(key));

/** What the last good set does not have; what that one had kept without wanting it stays. */
export function newcomersOf(view: View<ApplicationSpec>, failed: Goal, former: Goal): readonly ChildRef[] {
  const stay = wantedOf(former);
  const isNew = (child: ChildRef): boolean => former.spec.prune || failed.components.some((component) => isOf(child, component, view));
  return inventoryOf(view).filter((child) => isNew(child) && !stay.some((component) => isOf(child, component, view)));
}

/**
 * By what is remembered of what is there and by both specs, so that no need is forgotten.
 *
 * Where they contradict each other it goes by what is there and has to go back: nobody is taken back under those who use it
 * now, and who needs them in the last good set comes after them.
 */
function wavesBack(view: View<ApplicationSpec>, { failed, former, entries }: Sets): readonly (readonly string[])[] {
  const back = wishedOf(former).filter(({ wish }) => isBrought(view, wish));
  const isBack = ({ component: name, kind }: InventoryEntry): boolean =>
    back.some(({ component }) => component.name === name && component.given.kind === kind);
  const there = [...entries.filter((entry) => !isBack(entry)), ...entries.filter(isBack)];
  const needs = there.map(({ component, dependsOn = [] }) => graphOf([{ name: component, needs: dependsOn }]));
  const graph = merged(...needs, graphOf(former.components), graphOf(failed.components));
  const waves = wavesOf(graph);
  return [...grouped([...graph.keys()].sort(), (name) => waves.get(name) ?? 0)].reverse();
}

const iso = (time: number): string => new Date(time).toISOString();
