import type { Change, DecideRequest, DefinitionSnapshot, Mail, Verdict } from '../../definitions/core/decision.ts';
import type { DeleteRequest, Propagation } from '../../definitions/core/messages.ts';
import type { Tuning, View } from '../../definitions/core/plan.ts';
import type { JsonObject, Metadata } from '../../definitions/core/resource.ts';
import type { Observation } from '../../definitions/core/step.ts';

/** The resource as it will be once the verdicts so far are carried out. */
export interface Working {
  readonly apiVersion?: string;
  readonly metadata: Metadata;
  readonly spec?: JsonObject;
  readonly definition?: DefinitionSnapshot;
  readonly deleting: boolean;
  readonly propagation?: Propagation | undefined;
  readonly nudge: number;
  readonly observed: Readonly<Record<string, Observation>>;
  /** The last spec that came by signal and was refused, until a good one comes. */
  readonly rejected?: string | undefined;
  readonly rejectedBy?: DecideRequest['rejectedBy'] | undefined;
}

export function workingOf(request: DecideRequest): Working {
  const { apiVersion, metadata, spec, definition, deleting, propagation, nudge, observed, rejected, rejectedBy } = request;
  return {
    ...(apiVersion ? { apiVersion } : {}),
    metadata,
    ...(spec ? { spec } : {}),
    ...(definition ? { definition } : {}),
    deleting,
    propagation,
    nudge,
    observed,
    rejected,
    rejectedBy,
  };
}

/** The resource after a verdict was carried out: the workflow's own arithmetic, without the answers. */
export function after(working: Working, mail: Mail, verdict: Verdict, now: number): Working {
  switch (verdict.verdict) {
    case 'write': {
      const changed = withChange(working, verdict.change, mail.type, now);
      const isAccepted = mail.type === 'apply' || (mail.type === 'readmit' && working.rejectedBy === 'readmit');
      return isAccepted ? { ...changed, rejected: undefined, rejectedBy: undefined } : changed;
    }
    case 'delete':
      return working.spec ? { ...working, deleting: true, propagation: propagationOf(mail.body, working) } : working;
    case 'hint':
      return verdict.nudge ? { ...working, nudge: working.nudge + 1 } : working;
    case 'refuse':
      if (mail.via === 'update' || (mail.type !== 'apply' && mail.type !== 'readmit')) return working;
      return { ...working, rejected: `${verdict.type}: ${verdict.message}`, rejectedBy: mail.type };
    case 'ignore':
      return working;
    default:
      return verdict satisfies never;
  }
}

/** The first word on how to delete stays. */
function propagationOf(body: unknown, { deleting, propagation }: Working): Propagation | undefined {
  return deleting ? propagation : (body as DeleteRequest | null | undefined)?.propagation;
}

function withChange(working: Working, change: Change, type: string, now: number): Working {
  const generation = working.metadata.generation + (change.spec ? 1 : 0);
  const remembered = Object.entries(change.remember ?? {}).map(([about, value]) => [about, { key: type, generation, at: now, value }]);
  const { labels, annotations, ownerReferences, finalizers } = change;
  return {
    ...working,
    ...(change.apiVersion ? { apiVersion: change.apiVersion } : {}),
    ...(change.definition ? { definition: change.definition } : {}),
    ...(change.spec ? { spec: change.spec } : {}),
    nudge: working.nudge + (change.nudge ? 1 : 0),
    observed: { ...working.observed, ...Object.fromEntries(remembered) },
    metadata: {
      ...working.metadata,
      generation,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(ownerReferences ? { ownerReferences } : {}),
      ...(finalizers ? { finalizers } : {}),
    },
  };
}

/** What a planner or a reducer sees; undefined while no spec is accepted. */
export function viewOf(working: Working, request: DecideRequest, tuning: Tuning): View | undefined {
  const { spec, apiVersion } = working;
  if (!spec || !apiVersion) return undefined;
  const previousSpec = request.previousSpec ?? (spec === request.spec ? undefined : request.spec);
  return {
    now: request.now,
    apiVersion,
    kind: request.workflowType,
    metadata: working.metadata,
    spec,
    ...(previousSpec ? { previousSpec } : {}),
    ...(request.stableSpec ? { stableSpec: request.stableSpec } : {}),
    deleting: working.deleting,
    ...(working.deleting ? { propagation: working.propagation ?? 'Background' } : {}),
    observed: working.observed,
    failing: request.failing,
    nudge: working.nudge,
    inAir: request.inAir ?? [],
    status: request.status,
    tuning,
  };
}
