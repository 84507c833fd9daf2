import { HEARTBEAT_MS } from '../core/patience.ts';
import type { View } from '../core/plan.ts';
import type { JsonObject } from '../core/resource.ts';
import type { Step } from '../core/step.ts';
import type { RuntimeName } from '../core/template.ts';
import { doingPartOf } from '../flows/parts.ts';
import { queueOf } from '../replicas/lanes.ts';
import { atEnd, cameOut, saidEnding } from './ending.ts';
import type { Facts } from './facts.ts';
import { nodeOf, runtimeOf, STOP } from './flight.ts';
import { type Node, withInner } from './node.ts';
import { assessRun } from './run.ts';
import type { WorkflowRunSpec } from './schema.ts';
import { fill } from './scope.ts';

interface Place {
  readonly node: string;
  readonly runtime: RuntimeName;
}

/** A node that is there takes its work at once; one that is not sweeps by itself when it is back. */
const SOON_MS = 10_000;
const CLEAN_UP_MS = 10 * 60_000;

/**
 * Removes what the steps of a run have run, wherever that was: ends that were told are kept there as long as somebody may ask for them.
 *
 * Guarantees: each place is asked; where nobody answers it is left to the sweep of that node.
 * Assumes that no step is in the air, which could run something more.
 */
export function cleanUpSteps(view: View<WorkflowRunSpec>): readonly Step[] {
  const run = assessRun(view);
  const { facts } = run.circle;
  return placesOf(run.view, facts, everyNode(run)).flatMap((place) => {
    const step = stepOf(view, place);
    return facts.answer(step.about, step.key) || facts.trouble(step.about, step.key) ? [] : [step];
  });
}

function everyNode(run: ReturnType<typeof assessRun>): readonly Node[] {
  const said = saidEnding(run);
  const { undo, exit } = said ? atEnd(run, said, cameOut(run, said)) : { undo: [], exit: [] };
  return withInner([...run.nodes, ...undo, ...exit]);
}

/** By node, then by runtime; each once. */
function placesOf({ tuning }: View<WorkflowRunSpec>, facts: Facts, nodes: readonly Node[]): readonly Place[] {
  const places = new Map<string, Place>();
  for (const node of nodes) {
    if (!hasRun(facts, node)) continue;
    const filled = fill(doingPartOf(node.spec), node.around);
    if ('problem' in filled) continue;
    const doing = filled.value as JsonObject;
    const place = { node: nodeOf(doing, tuning), runtime: runtimeOf(doing.run as JsonObject) };
    places.set(`${place.node}/${place.runtime}`, place);
  }
  return [...places].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, place]) => place);
}

/** What nobody ever took has run nothing. */
function hasRun(facts: Facts, { path, type, spec, attempts }: Node): boolean {
  if (!spec.run || type === 'loop' || attempts === 0) return false;
  const failed = facts.failed(path);
  return !(failed?.untaken && failed.attempt === 1 && failed.again === 0);
}

function stepOf({ tuning }: View<WorkflowRunSpec>, { node, runtime }: Place): Step {
  const about = `left/${node}/${runtime}`;
  return {
    key: about,
    about,
    activity: 'syncInstances',
    queue: queueOf(node),
    reason: 'CleaningUp',
    summary: `remove what steps have run on ${node}`,
    input: { runtime, node, revisions: [], resting: [], restart: [], remove: 'all', stop: STOP, waitReadyMs: 0 },
    with: ['metadata'],
    timeouts: { startToCloseMs: CLEAN_UP_MS, heartbeatMs: HEARTBEAT_MS, scheduleToStartMs: Math.min(SOON_MS, tuning.scheduleToStartMs) },
    retry: { maximumAttempts: 3, initialIntervalMs: 1_000, maximumIntervalMs: 2_000 },
  };
}
