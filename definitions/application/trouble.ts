import { isBrought } from '../core/children.ts';
import type { ChildProblem, ChildWish } from '../core/family.ts';
import type { View } from '../core/plan.ts';
import type { Component } from './component.ts';
import { bare, type Goal, problemOf, wantedOf } from './goal.ts';
import { childNews, unmet } from './live.ts';

/** A component that is not ready, and that waits for nobody else. */
export interface Culprit {
  readonly name: string;
  /** What was last said of it, or by itself; without a full stop. */
  readonly said?: string;
}

type Seen = Pick<View, 'observed' | 'metadata'>;

/** Who keeps a goal from being reached: those that wait for others are not to blame. */
export function culpritsOf(view: Seen, goal: Goal): readonly Culprit[] {
  return wantedOf(goal).flatMap((component) => {
    const { name } = component;
    const one = goal.resolved.get(name);
    if (one?.state === 'waiting') return one.waitingFor.some((other) => goal.resolved.has(other)) ? [] : [culprit(name, one.message)];
    return one?.state !== 'wished' || one.isReady ? [] : [culprit(name, troubleOf(view, goal, component, one.wish))];
  });
}

const culprit = (name: string, said = ''): Culprit => ({ name, ...(said ? { said: bare(said) } : {}) });

/** Why a component is not ready: what is in the way of its wish, or what it says of itself. */
function troubleOf(view: Seen, goal: Goal, component: Component, wish: ChildWish): string | undefined {
  const problem = problemOf(view, wish);
  if (!isBrought(view, wish)) return problem && problemText(problem, component);
  return broughtText(view, goal, component, wish);
}

/** Of one that is as it was wished. */
export function broughtText(view: Seen, { spec }: Goal, component: Component, wish: ChildWish): string | undefined {
  const news = childNews(view, wish);
  const missing = news?.ready === 'True' ? unmet(view, component, wish, spec.params ?? {}) : undefined;
  return missing ?? news?.message;
}

/** Of one that cannot be brought to what is wished. */
export function problemText({ reason, message }: ChildProblem, component: Component): string {
  if (reason === 'KindUnknown') return `waits for the kind ${fullKindOf(component)}: nobody has registered it`;
  return reason === 'KindAmbiguous' ? `is unclear: ${bare(message)}` : bare(message);
}

/** `example.com/v1 Widget`: what is missing may be the version alone. */
export const fullKindOf = ({ given }: Component): string => [given.apiVersion, given.kind].filter(Boolean).join(' ');
