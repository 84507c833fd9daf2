import { bounded } from '../core/expressions/bounded-cache.ts';
import { type Needs, needsOf } from './needs.ts';
import type { StepSpec } from './schema.ts';

/** The steps beside each other, as far as only their spec decides. */
export interface Level {
  /** What each step waits for, by its place. */
  readonly needs: readonly Needs[];
  /** Places of the steps, each after those it needs. */
  readonly order: readonly number[];
}

const KEPT = 100;
const byIdentity = new WeakMap<readonly StepSpec[], Level>();

/** Reads a level; the same steps are read once, because a run is planned again whenever anything happens. Assumes no cycles. */
export function levelOf(steps: readonly StepSpec[]): Level {
  const known = byIdentity.get(steps);
  if (known) return known;
  const level = byText(JSON.stringify(steps));
  byIdentity.set(steps, level);
  return level;
}

const byText = bounded(KEPT, (text): Level => {
  const steps = JSON.parse(text) as readonly StepSpec[];
  const names = new Map(steps.map(({ name }, place) => [name, place]));
  const needs = steps.map((step) => needsOf(step, (name) => names.has(name)));
  return { needs, order: sorted(needs.map((one) => placesOf(one, names))) };
});

const placesOf = ({ stated, implied }: Needs, names: ReadonlyMap<string, number>): readonly number[] => [
  ...new Set([...stated, ...implied].flatMap((name) => names.get(name) ?? [])),
];

function sorted(needs: readonly (readonly number[])[]): number[] {
  const open = needs.map(({ length }) => length);
  const followers = needs.map((): number[] => []);
  for (const [place, those] of needs.entries()) for (const need of those) followers[need]?.push(place);
  const ready = [...needs.keys()].filter((place) => open[place] === 0);
  for (const place of ready) {
    for (const follower of followers[place] ?? []) {
      open[follower] = (open[follower] ?? 0) - 1;
      if (open[follower] === 0) ready.push(follower);
    }
  }
  return ready;
}
