import type { InstanceRevision } from '../core/instance.ts';
import type { View } from '../core/plan.ts';
import { type Member, sightings } from './members.ts';
import type { ProblemReport, ReplicasFacts } from './report.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = 5 * 60_000;
/** What only a person can mend is tried again now and then, in case somebody did. */
const SLOW: readonly string[] = ['Blocked', 'ImageMissing', 'CommandNotFound', 'RuntimeUnavailable'];

/**
 * What could not be done for the spec in force, with the time of the next try: twice as long after each.
 *
 * A problem is over when its slot runs; that nobody mentions it only means that nobody has tried since.
 */
export function problemsOf(
  view: View<unknown>,
  facts: Partial<ReplicasFacts>,
  members: readonly Member[],
  heading?: InstanceRevision,
): ProblemReport[] {
  const { generation } = view.metadata;
  const seen = sightings(view);
  const known = (facts.problems ?? []).filter((problem) => problem.generation === generation);
  const told = seen
    .filter((sighting) => sighting.generation === generation)
    .flatMap(({ node, problems = [], at }) =>
      problems.map((problem): ProblemReport => {
        const before = known.find((one) => isAbout(one, problem, node));
        if (before && Date.parse(before.nextTryTime) > at) return { ...before, message: problem.message };
        const tries = (before?.tries ?? 0) + 1;
        const delay = SLOW.includes(problem.reason) ? LONGEST_MS : Math.min(LONGEST_MS, FIRST_MS * 2 ** (tries - 1));
        return { ...problem, node, generation, tries, nextTryTime: new Date(at + delay).toISOString() };
      }),
    );
  // Where the one runs that shall be there, it no longer matters what else could not be started.
  const runs = ({ node, slot, digest }: ProblemReport): boolean =>
    members
      .filter((member) => member.node === node && member.slot === slot && member.state === 'running' && member.handEdited === undefined)
      .some((member) => !heading || member.digest === heading.digest || member.digest === digest);
  const isOver = (problem: ProblemReport): boolean =>
    problem.slot === undefined
      ? seen.some(({ node, at }) => node === problem.node && at >= Date.parse(problem.nextTryTime))
      : runs(problem);
  const untold = known.filter((one) => !isOver(one) && !told.some((other) => isAbout(one, other, other.node)));
  // Somebody else, thought dead, may have started what could not be started here.
  return [...told.filter((problem) => !runs(problem)), ...untold];
}

const isAbout = (one: ProblemReport, other: Pick<ProblemReport, 'slot' | 'digest' | 'reason'>, node: string): boolean =>
  one.node === node && one.slot === other.slot && one.digest === other.digest && one.reason === other.reason;

/** Whether this revision need not be tried in the slot now, because it could not be started there a moment ago. */
export function isStuck(problems: readonly ProblemReport[], now: number, node: string, slot: number, digest: string): boolean {
  return problems.some(
    (problem) =>
      problem.node === node &&
      (problem.slot ?? slot) === slot &&
      (problem.digest ?? digest) === digest &&
      Date.parse(problem.nextTryTime) > now,
  );
}
