import type { Plan, View } from '../core/plan.ts';
import type { ConditionClaim } from '../core/resource.ts';
import { planReplicas } from '../replicas/plan.ts';
import type { ReplicasReport } from '../replicas/report.ts';
import { type Standing, standingOf } from '../replicas/standing.ts';
import { replicatedOf } from './replicated.ts';
import type { ApplicationSpec, applicationPhases } from './schema.ts';

const PHASES: Readonly<Record<Standing, (typeof applicationPhases)[number]>> = {
  settled: 'Running',
  finished: 'Succeeded',
  waiting: 'Pending',
  moving: 'Pending',
  paused: 'Pending',
  degraded: 'Failed',
  failed: 'Failed',
  unknown: 'Pending',
};

/** The shared planner plans; what it found is told in elide's words. */
export function plan(view: View<ApplicationSpec>): Plan {
  const report = planReplicas(view, replicatedOf);
  return {
    ...report.plan,
    ...(report.plan.conditions ? { conditions: report.plan.conditions.map(inWordsOfElide) } : {}),
    status: { ...report.facts, image: view.spec.image },
    phase: phaseOf(report, view),
  };
}

/** There is no word for what nobody can see: it stays what it was last seen to be. */
function phaseOf(report: ReplicasReport, view: View<ApplicationSpec>): (typeof applicationPhases)[number] {
  const standing = standingOf(report, view);
  return standing === 'unknown' && report.facts.readyReplicas > 0 ? PHASES.settled : PHASES[standing];
}

/** There, what is done is no longer progressing. */
function inWordsOfElide(claim: ConditionClaim): ConditionClaim {
  if (claim.type === 'Ready' && claim.status === 'True') {
    return { ...claim, reason: 'ReconciliationSucceeded', message: 'All replicas are ready' };
  }
  if (claim.type === 'Progressing' && claim.reason === 'NewRevisionAvailable')
    return { ...claim, status: 'False', reason: 'ReplicaSetUpdated' };
  return claim;
}
