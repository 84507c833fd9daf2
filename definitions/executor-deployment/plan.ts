import type { Plan, View } from '../core/plan.ts';
import type { ConditionClaim, JsonObject } from '../core/resource.ts';
import { runtimeNames } from '../core/template.ts';
import { planReplicas } from '../replicas/plan.ts';
import type { ReplicasFacts } from '../replicas/report.ts';
import { given } from '../replicas/schema.ts';
import { NO_REPLICAS } from '../replicas/schema-status.ts';
import { claimOf, type Standing, standingOf } from '../replicas/standing.ts';
import { replicatedOf, runtimeOf } from './replicated.ts';
import type { ExecutorDeploymentSpec, ExecutorDeploymentStatus } from './schema.ts';

const PHASES: Readonly<Record<Standing, string>> = {
  settled: 'Running',
  finished: 'Succeeded',
  waiting: 'Pending',
  moving: 'Progressing',
  paused: 'Paused',
  degraded: 'Degraded',
  failed: 'Failed',
  unknown: 'Unknown',
};

/** The shared planner plans; what it found is told in the words of ColonyOS. */
export function plan(view: View<ExecutorDeploymentSpec>): Plan {
  if (runtimeOf(view.spec) === undefined) return noRuntime(view);
  const report = planReplicas(view, replicatedOf);
  const ready = claimOf(report.plan, 'Ready');
  const message = ready && ready.status !== 'True' ? ready.message : undefined;
  const phase = PHASES[standingOf(report, view)];
  const conditions = [...(report.plan.conditions ?? []), ...limitsUnheld(view)];
  return { ...report.plan, conditions, status: statusOf(view, report.facts, message), phase };
}

/** Nobody shall rely on limits that are not held. */
function limitsUnheld({ spec, metadata, deleting }: View<ExecutorDeploymentSpec>): ConditionClaim[] {
  const { runtime, limits } = replicatedOf(spec, metadata).template;
  if (deleting || runtime !== 'local' || Object.keys(limits).length === 0) return [];
  const message = 'Runtime local does not hold limits of cpu and memory; runtime docker does.';
  return [{ type: 'LimitsHeld', status: 'False', reason: 'RuntimeLocal', message }];
}

/** Nothing was ever made for it: the runtime of a resource that could run is fixed. */
function noRuntime(view: View<ExecutorDeploymentSpec>): Plan {
  const message = `No node has runtime ${view.spec.runtime}; name one of ${runtimeNames.join(', ')}.`;
  const claim = (type: string, status: ConditionClaim['status']): ConditionClaim => ({
    type,
    status,
    reason: 'RuntimeUnavailable',
    message,
  });
  return {
    steps: [],
    status: statusOf(view, NO_REPLICAS, message),
    conditions: [claim('Ready', 'False'), claim('Degraded', 'True')],
    phase: PHASES.waiting,
  };
}

function statusOf(view: View<ExecutorDeploymentSpec>, facts: ReplicasFacts, message: string | undefined): JsonObject {
  const { image = view.spec.config?.image, replicas } = view.spec;
  const own: Omit<ExecutorDeploymentStatus, keyof ReplicasFacts> = {
    ready: facts.readyReplicas,
    available: facts.availableReplicas,
    unavailable: facts.unavailableReplicas,
    replicasReady: `${facts.readyReplicas}/${replicas}`,
    deployedExecutors: facts.instances.map(({ id }) => id),
    ...given({ image, lastUpdateTime: lastUpdateTime(view, facts), message }),
  };
  return { ...facts, ...own };
}

/** When an instance last started, ended or got ready: it stands still while nothing happens, and never goes back. */
function lastUpdateTime({ status }: View<ExecutorDeploymentSpec>, { instances }: ReplicasFacts): string | undefined {
  const told = instances.flatMap(({ startedAt, readySince, lastExit }) => [startedAt, readySince, lastExit?.at]);
  const times = [status?.lastUpdateTime, ...told].map((time) => Date.parse(String(time))).filter((time) => time > 0);
  return times.length === 0 ? undefined : new Date(Math.max(...times)).toISOString();
}
