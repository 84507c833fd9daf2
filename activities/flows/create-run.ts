import { ApplicationFailure } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { Manifest } from '../../definitions/core/resource.ts';
import { runManifestOf } from '../../definitions/workflow/run-manifest.ts';
import { describeAlive, type Incarnation } from '../resources/incarnation.ts';
import { readResource } from '../resources/read-resource.ts';
import { applyResource } from './apply-resource.ts';
import { endEarlierRuns } from './end-earlier-runs.ts';
import { removeScheduleOf } from './schedule.ts';

export interface CreateRunRequest {
  readonly workflow: Incarnation & {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
  };
  /** ISO; the time that the schedule meant. */
  readonly scheduledAt: string;
  /** Whoever asks, by a name that nobody else ever has. */
  readonly startedBy: string;
  /** Of the schedule. Temporal itself can only end what it started, which is not the run. */
  readonly overlap?: string;
}

/** Runs of one time: the plain name, then `-2` for the one that a backfill asks for, and so on. */
const MAX_TURNS = 20;

/**
 * The activity `createRun`: makes the WorkflowRun for one start of a schedule, named by the time that the schedule meant.
 *
 * Guarantees: one run for one start, however often it is tried. Null when the Workflow is gone or going: then there
 * is none, and a schedule that was left behind by one that is gone goes, too.
 */
export function createCreateRun(client: Client): (request: CreateRunRequest) => Promise<Incarnation | null> {
  return async ({ workflow, scheduledAt, startedBy, overlap }) => {
    const described = await describeAlive(client, workflow);
    if (!described) await removeScheduleOf(client, workflow);
    const resource = described && (await readResource(client, workflow.id, described));
    if (!resource || resource.metadata.deletionTimestamp) return null;
    if (overlap === 'TERMINATE_OTHER') await endEarlierRuns(client, workflow);
    for (let turn = 1; turn <= MAX_TURNS; turn += 1) {
      const name = `${workflow.name}-${stampOf(scheduledAt)}${turn > 1 ? `-${turn}` : ''}`;
      const run = await create(client, runManifestOf(resource, { name, scheduledAt }), startedBy);
      if (run) return run;
    }
    throw ApplicationFailure.nonRetryable(`There are ${MAX_TURNS} runs of ${scheduledAt} already.`, 'TooManyRuns');
  };
}

/** Undefined: somebody else has that name. */
async function create(client: Client, manifest: Manifest, startedBy: string): Promise<Incarnation | undefined> {
  const applied = await applyResource(client, 'workflowruns', manifest, { only: 'create', requestId: startedBy, actor: 'schedule' });
  if ('uid' in applied) return applied;
  const { refused, message } = applied;
  if (refused === 'AlreadyExists' || refused === 'Deleting') return undefined;
  throw ApplicationFailure.nonRetryable(`The run was refused: ${message}`, `Run${refused}`);
}

/** 2026-11-16T09:05:00.000Z → 20261116090500 */
const stampOf = (iso: string): string => iso.replace(/\D/g, '').slice(0, 14);
