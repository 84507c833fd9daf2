import type { InstanceWish } from '../core/instance.ts';
import type { View } from '../core/plan.ts';
import type { Step } from '../core/step.ts';
import { laneOf } from './lanes.ts';
import type { ReplicasFacts } from './report.ts';
import { nodeOfKey } from './sync-step.ts';

/** Nodes that may have something although they have never answered: somebody there may have taken what was asked of them. */
export function unheardOf(view: Known, facts: Partial<ReplicasFacts>): readonly string[] {
  return [...new Set(doubtsOf(view, facts).map(nodeOf))];
}

/** The same after these steps have taken off, for the status to remember. */
export function unheardAfter(view: Known, facts: Partial<ReplicasFacts>, steps: readonly Step[]): Pick<ReplicasFacts, 'unheard'> {
  const asked = steps.filter(({ about, input }) => view.observed[about] === undefined && changesAnything(input)).map(({ key }) => key);
  const doubts = [...new Set([...doubtsOf(view, facts), ...asked])];
  const isOneOfSeveral = (doubt: string): boolean => doubts.filter((other) => nodeOf(other) === nodeOf(doubt)).length > 1;
  const unheard = [...new Set(doubts.map((doubt) => (isOneOfSeveral(doubt) ? nodeOf(doubt) : doubt)))].sort();
  return unheard.length > 0 ? { unheard } : {};
}

type Known = Pick<View, 'observed' | 'failing'>;

/** A flight that nobody ever took leaves no doubt. */
function doubtsOf({ observed, failing }: Known, { unheard = [] }: Partial<ReplicasFacts>): readonly string[] {
  const isOpen = (doubt: string): boolean => {
    const lane = laneOf(nodeOf(doubt));
    return observed[lane] === undefined && !(failing[lane]?.key === doubt && failing[lane]?.untaken);
  };
  return unheard.filter(isOpen);
}

const nodeOf = (doubt: string): string => nodeOfKey(doubt) ?? doubt;

function changesAnything(input: Step['input']): boolean {
  const { revisions = [], remove = [], restart = [] } = input as unknown as Partial<InstanceWish>;
  return remove === 'all' || revisions.length + remove.length + restart.length > 0;
}
