import { inventoryOf, isBrought } from '../core/children.ts';
import type { ChildRef, ChildWish } from '../core/family.ts';
import type { View } from '../core/plan.ts';
import { unique } from './component.ts';
import { type Goal, isOf, wantedOf, wishedOf } from './goal.ts';
import { grouped, wavesOf } from './graph.ts';
import { deadlineOf, isHeld } from './release.ts';
import type { ApplicationSpec, Release } from './schema.ts';

/** A failed release on its way back to the last good set. */
export interface WayBack {
  readonly release: Release;
  /** What is brought back by now. */
  readonly wishes: readonly ChildWish[];
  /** What the failed release had made and what goes now. */
  readonly leaving: readonly ChildRef[];
}

/**
 * Goes back wave by wave, those first that need others: each wave waits until the one before it is ready again and what was
 * new in it is gone, but no longer than the deadline.
 *
 * Guarantees: how far it came stands in the release, so that whoever takes over goes on from there; a wave that was passed
 * stays passed; what the failed release did not change is not touched.
 */
export function wayBack(view: View<ApplicationSpec>, release: Release, failed: Goal, former: Goal): WayBack {
  const wished = wishedOf(former);
  const strayed = wished.filter(({ wish }) => !isBrought(view, wish)).map(({ component }) => component.name);
  // What a cancelled step still changes after the decision has to go back as well.
  const returning = [...unique([...(release.returning ?? []), ...strayed])];
  const leaving = newcomersOf(view, failed, former);
  const waves = wavesBack(failed, former);
  const isDone = (name: string): boolean => {
    if (leaving.some(({ key }) => key === name)) return false;
    const one = wished.find(({ component }) => component.name === name);
    return !one || !returning.includes(name) || (isBrought(view, one.wish) && one.isReady);
  };
  let wave = release.wave ?? 0;
  let progressedAt = isHeld(view) ? iso(view.now) : release.progressedAt;
  const isOverdue = (): boolean => deadlineOf(view, { ...release, progressedAt }) <= view.now;
  while (wave < waves.length && (waves[wave]?.every(isDone) || isOverdue())) {
    const wasBusy = waves[wave]?.some((name) => returning.includes(name) || leaving.some(({ key }) => key === name));
    wave += 1;
    if (wasBusy) progressedAt = iso(view.now);
  }
  const reached = waves.slice(0, wave + 1).flat();
  return {
    release: {
      ...release,
      phase: wave < waves.length ? 'RollingBack' : 'RolledBack',
      progressedAt: wave < waves.length ? progressedAt : iso(view.now),
      message: wave < waves.length ? release.message : release.message.replace(/; everything goes back\.$/, '; everything was taken back.'),
      returning,
      wave,
    },
    wishes: wished.filter(({ component }) => reached.includes(component.name)).map(({ wish }) => wish),
    leaving: leaving.filter(({ key }) => reached.includes(key ?? '')),
  };
}

/** What only the failed release wanted. */
export function newcomersOf(view: View<ApplicationSpec>, failed: Goal, former: Goal): readonly ChildRef[] {
  const stay = wantedOf(former);
  return inventoryOf(view).filter(
    (child) =>
      failed.components.some((component) => isOf(child, component, view)) && !stay.some((component) => isOf(child, component, view)),
  );
}

/** The same at every pass: by both specs, not by what is there. */
function wavesBack(failed: Goal, former: Goal): readonly (readonly string[])[] {
  const all = [...former.components, ...failed.components];
  const names = unique(all.map(({ name }) => name));
  const graph = new Map(names.map((name) => [name, unique(all.filter((one) => one.name === name).flatMap(({ needs }) => needs))] as const));
  const waves = wavesOf(graph);
  return [...grouped(names, (name) => waves.get(name) ?? 0)].reverse();
}

const iso = (time: number): string => new Date(time).toISOString();
