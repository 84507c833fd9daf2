import { isBlind, isQuiet } from '../core/patience.ts';
import type { View } from '../core/plan.ts';
import type { Failing, Step } from '../core/step.ts';

/** Why a step does not get on; what merely waits is no failure. What is known to be broken goes before what nobody can see. */
export function failingOf({ failing }: Pick<View, 'failing'>, steps: readonly Step[]): Failing | undefined {
  const all = steps.flatMap(({ about, key }) => (failing[about]?.key === key ? [failing[about]] : [])).filter((one) => !isQuiet(one));
  return all.find((one) => !isBlind(one)) ?? all[0];
}
