import type { InstanceProblem, Sighting } from '../core/instance.ts';
import type { View } from '../core/plan.ts';
import { laneOf } from './lanes.ts';
import type { Member } from './members.ts';
import type { ProblemReport, ReplicasFacts } from './report.ts';
import { answered } from './sync-step.ts';

/** What was last handed over, so that it is remembered when news of the instances come. */
export interface HandOver {
  /** Hash of revision, replicas and strategy. */
  readonly wish: string;
  /** ISO; of the last time. */
  readonly at: string;
  /** How often the same wish was handed over because something was missing or changed. */
  readonly again: number;
}

export interface DelegatedFacts extends ReplicasFacts {
  readonly handedOver?: HandOver;
}

const FIRST_AGAIN_MS = 30_000;
/** Nothing at all is there: somebody has deleted what we made. */
const FIRST_IF_NONE_MS = 1_000;
const LONGEST_AGAIN_MS = 5 * 60_000;

/** What became of the wish so far. */
export interface Past {
  readonly handedOver: HandOver | undefined;
  /** What was in the way of the wish in force. */
  readonly problems: readonly ProblemReport[];
  /** How many requests to look again were answered. */
  readonly looks: number;
  /** When the same wish is handed over again, unless things are as wished by then. */
  readonly nextAt?: number;
}

/** How the wish in force has fared, read from the last landing and from what was remembered. */
export function pastOf(
  view: View<unknown>,
  facts: Partial<DelegatedFacts>,
  members: readonly Member[],
  node: string,
  print: string,
  isMatched: boolean,
): Past {
  const landing = view.observed[laneOf(node)];
  const { print: landed, nudge } = answered(landing);
  const before = facts.handedOver;
  const hasLanded = landing !== undefined && landed === print;
  const handedOver = hasLanded ? landedOver(before, print, new Date(landing.at).toISOString(), isMatched) : before;
  const looks = Math.max(facts.looks ?? 0, nudge);
  if (handedOver?.wish !== print) return { handedOver, problems: [], looks };
  const told = hasLanded ? ((landing.value as Sighting | null)?.problems ?? []) : undefined;
  const isNew = hasLanded && before?.at !== handedOver.at;
  const problems = told
    ? told.map((one) => obstacle(view, facts, node, one, isNew ? landing.at : undefined))
    : isMatched
      ? []
      : known(view, facts);
  if (problems.length > 0) {
    // Somebody who has the runtime speaks now.
    const isCured = !hasLanded && problems.every(({ reason }) => reason === 'RuntimeUnavailable');
    return { handedOver, problems, looks, nextAt: isCured ? view.now : Math.min(...problems.map((one) => Date.parse(one.nextTryTime))) };
  }
  if (isMatched) return { handedOver: { ...handedOver, again: 0 }, problems, looks };
  const first = members.length === 0 ? FIRST_IF_NONE_MS : FIRST_AGAIN_MS;
  const nextAt = Date.parse(handedOver.at) + Math.min(LONGEST_AGAIN_MS, first * 2 ** handedOver.again);
  return { handedOver, problems, looks, nextAt };
}

const known = ({ metadata }: View<unknown>, { problems = [] }: Partial<ReplicasFacts>): readonly ProblemReport[] =>
  problems.filter(({ generation }) => generation === metadata.generation);

/** What is in the way of the wish as a whole. `at`: of a landing that is counted for the first time. */
function obstacle(
  view: View<unknown>,
  facts: Partial<ReplicasFacts>,
  node: string,
  problem: InstanceProblem,
  at: number | undefined,
): ProblemReport {
  const before = known(view, facts).find(({ reason }) => reason === problem.reason);
  if (before && at === undefined) return { ...before, message: problem.message };
  const nextTryTime = new Date((at ?? view.now) + LONGEST_AGAIN_MS).toISOString();
  return { ...problem, node, generation: view.metadata.generation, tries: (before?.tries ?? 0) + 1, nextTryTime };
}

function landedOver(before: HandOver | undefined, wish: string, at: string, isMatched: boolean): HandOver {
  if (before?.wish !== wish || isMatched) return { wish, at, again: 0 };
  return before.at === at ? before : { wish, at, again: before.again + 1 };
}
