import { isBlind } from '../core/patience.ts';
import type { ConditionClaim } from '../core/resource.ts';
import type { Failing } from '../core/step.ts';
import { isDone, isLooping, type Member, type NodeSighting } from './members.ts';
import type { Replicated } from './replicated.ts';
import type { ProblemReport, ReplicasFacts } from './report.ts';
import type { Target } from './revisions.ts';
import type { Course } from './rollout.ts';
import { roomOf } from './takeover.ts';
import { exitText, slotsText } from './words.ts';

export interface Findings {
  readonly wish: Replicated;
  readonly facts: ReplicasFacts;
  readonly members: readonly Member[];
  readonly target: Target;
  readonly course: Course;
  readonly problems: readonly ProblemReport[];
  /** Nodes that nobody can see now. */
  readonly unseen: readonly NodeSighting[];
  /** Why a step of this very plan does not get on. */
  readonly failing: Failing | undefined;
  readonly isSettled: boolean;
}

export function conditionsOf(findings: Findings): ConditionClaim[] {
  return [readyOf(findings), availableOf(findings), progressingOf(findings), degradedOf(findings)];
}

function claim(type: string, status: ConditionClaim['status'], reason: string, message: string): ConditionClaim {
  return { type, status, reason, message };
}

function readyOf(findings: Findings): ConditionClaim {
  const { wish, facts, members, unseen, failing, isSettled, course, target } = findings;
  const count = countText(findings);
  if (unseen[0]) return claim('Ready', 'Unknown', 'NodeUnreachable', unseenText(unseen[0]));
  if (failing && isBlind(failing)) return claim('Ready', 'Unknown', failing.reason, sentence(failing.message));
  if (isSettled) return claim('Ready', 'True', isOver(findings) ? 'Completed' : 'AllReplicasReady', `${count}.`);
  const trouble = troubleOf(findings);
  if (trouble) return claim('Ready', 'False', trouble.reason, `${count}: ${trouble.message}`);
  const failure = failureOf(findings);
  if (failure) return claim('Ready', 'False', failure.reason, failure.message);
  if (!target.revision) return claim('Ready', 'False', 'RollingOut', `${count}: image ${wish.template.image} is looked up.`);
  if (course.paused && facts.rollout?.state === 'Paused') return claim('Ready', 'False', 'RolloutPaused', rolloutText(findings));
  if ((facts.rollout?.outdated ?? 0) > 0) return claim('Ready', 'False', 'RollingOut', rolloutText(findings));
  const late = members.filter(({ ready, available }) => ready && !available).length;
  if (facts.readyReplicas + doneOf(findings) < wish.replicas) return claim('Ready', 'False', 'ReplicasNotReady', `${count}.`);
  const rest = late > 0 ? `, ${late} not for long enough yet.` : '; the last step is under way.';
  return claim('Ready', 'False', 'Settling', `${count}${rest}`);
}

/** Who has done its work is not missed. */
function availableOf(findings: Findings): ConditionClaim {
  const { wish, facts, unseen } = findings;
  const { unavailable } = roomOf(wish.strategy, wish.replicas);
  const minimum = Math.max(0, wish.replicas - unavailable);
  if (unseen[0]) return claim('Available', 'Unknown', 'NodeUnreachable', unseenText(unseen[0]));
  if (isOver(findings)) return claim('Available', 'True', 'Completed', `${countText(findings)}.`);
  const done = doneOf(findings);
  const isEnough = facts.availableReplicas + done >= minimum;
  const reason = isEnough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable';
  const message = `${areText(facts.availableReplicas)} available${doneText(done)}, ${areText(minimum)} ${isEnough ? 'enough' : 'needed'}.`;
  return claim('Available', isEnough ? 'True' : 'False', reason, message);
}

function progressingOf(findings: Findings): ConditionClaim {
  const { facts, course, target, failing, wish } = findings;
  if (target.problem) return claim('Progressing', 'False', target.problem.reason, target.problem.message);
  if (!target.revision) {
    if (failing) return claim('Progressing', isBlind(failing) ? 'Unknown' : 'False', failing.reason, sentence(failing.message));
    return claim('Progressing', 'True', 'RollingOut', `Image ${wish.template.image} is looked up.`);
  }
  const failure = failureOf(findings);
  if (failure) return claim('Progressing', 'False', failure.reason, failure.message);
  if (course.paused) return claim('Progressing', 'Unknown', 'RolloutPaused', 'The rollout is paused.');
  if (facts.rollout?.state === 'Complete') return claim('Progressing', 'True', 'NewRevisionAvailable', rolloutText(findings));
  return claim('Progressing', 'True', 'RollingOut', 'A revision is taking over.');
}

function degradedOf(findings: Findings): ConditionClaim {
  const trouble = troubleOf(findings) ?? failureOf(findings);
  const [blind] = findings.unseen;
  if (trouble) return claim('Degraded', 'True', trouble.reason, trouble.message);
  if (blind) return claim('Degraded', 'Unknown', 'NodeUnreachable', unseenText(blind));
  return claim('Degraded', 'False', 'AsExpected', 'Nothing is known to be wrong.');
}

interface Trouble {
  readonly reason: string;
  readonly message: string;
}

/** The one thing that a person should look at first. */
function troubleOf({ target, problems, members, failing }: Findings): Trouble | undefined {
  if (target.problem) return target.problem;
  const [problem] = problems;
  if (problem) return { reason: problem.reason, message: problem.message };
  const unhealthy = members.filter((member) => member.unhealthy !== undefined);
  if (unhealthy[0]) return { reason: 'Unhealthy', message: `${slotsText(slotsOf(unhealthy))}: ${unhealthy[0].unhealthy}` };
  const crashing = members.filter(isLooping);
  if (crashing[0])
    return { reason: 'CrashLoopBackOff', message: `${slotsText(slotsOf(crashing))} ended again and again (${exitText(crashing[0])}).` };
  const failed = members.filter(({ finished, exit }) => finished && exit?.code !== 0);
  if (failed[0])
    return { reason: 'Failed', message: `${slotsText(slotsOf(failed))} ended and is not started again (${exitText(failed[0])}).` };
  return failing && !isBlind(failing) ? { reason: failing.reason, message: sentence(failing.message) } : undefined;
}

/** The revision that the spec stands for did not get ready in time, or did not last. */
function failureOf({ target, facts: { rollout } }: Findings): Trouble | undefined {
  if (!target.revision || rollout?.digest !== target.revision.digest) return undefined;
  const { state, message } = rollout;
  if (state === 'RolledBack') return { reason: 'RolledBack', message };
  return state === 'Failed' ? { reason: rollout.tookOver ? 'CrashLoopBackOff' : 'ProgressDeadlineExceeded', message } : undefined;
}

const doneOf = ({ members, wish }: Findings): number => Math.min(wish.replicas, members.filter(isDone).length);

/** Nobody is left who has anything to do. */
const isOver = (findings: Findings): boolean => findings.wish.replicas > 0 && doneOf(findings) === findings.wish.replicas;

const areText = (count: number): string => `${count} ${count === 1 ? 'is' : 'are'}`;

const doneText = (done: number): string => (done === 0 ? '' : `, ${done} ${done === 1 ? 'has done its' : 'have done their'} work`);

function countText(findings: Findings): string {
  const { replicas } = findings.wish;
  const done = doneOf(findings);
  if (isOver(findings)) return `${done} of ${replicas} ${replicas === 1 ? 'replica has done its' : 'replicas have done their'} work`;
  const ready = Math.min(findings.facts.readyReplicas, replicas);
  return `${ready} of ${replicas} ${replicas === 1 ? 'replica is' : 'replicas are'} ready${doneText(done)}`;
}

const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

const slotsOf = (members: readonly Member[]): number[] => members.map(({ slot }) => slot);

const rolloutText = ({ facts }: Findings): string => facts.rollout?.message ?? 'No revision is known yet.';

const unseenText = ({ node, unreachable }: NodeSighting): string => `Node ${node} cannot be seen: ${unreachable}`;
