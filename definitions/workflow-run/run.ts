import type { View } from '../core/plan.ts';
import type { JsonObject } from '../core/resource.ts';
import { assess } from './assess.ts';
import type { Circle } from './circle.ts';
import { runWordOf } from './control.ts';
import { Facts } from './facts.ts';
import type { Around, Node } from './node.ts';
import type { Ending, WorkflowRunSpec } from './schema.ts';

/** When a schedule wanted this run, as its maker noted it. */
export const SCHEDULED_AT = 'automation.colonies.io/scheduled-at';

/** A run as it stands, before anything is decided. */
export interface Run {
  readonly view: View<WorkflowRunSpec>;
  readonly circle: Circle;
  readonly around: Around;
  readonly nodes: readonly Node[];
  readonly isPaused: boolean;
  readonly stop: 'cancel' | 'terminate' | undefined;
  readonly stopMessage: string;
  /** How often its failed part was begun again. */
  readonly retries: number;
}

/** Reads the facts of a run. While it is ending, its steps stand as they did when that began. */
export function assessRun(view: View<WorkflowRunSpec>): Run {
  const { spec, status } = view;
  const { paused = false, stop } = runWordOf(view);
  const said = status?.ending as Ending | undefined;
  const { restarts } = new Facts(view);
  const isEnding = said !== undefined && said.retries === restarts.retries;
  const facts = new Facts(view, isEnding ? Date.parse(said.at) : view.now);
  const failFast = spec.failFast ?? true;
  const circle: Circle = {
    view: view as unknown as View,
    facts,
    flow: spec,
    failFast: failFast !== false,
    abortRunning: spec.abortRunning ?? (typeof failFast === 'object' && failFast.abortRunning === true),
    isEnding,
    firstRetryMs: view.tuning.firstRetryMs,
    expanded: { count: 0 },
  };
  const around: Around = { params: spec.params ?? {}, run: runFacts(view), find: () => undefined };
  return {
    view,
    circle,
    around,
    nodes: assess(circle, spec.steps, '', around),
    isPaused: paused || spec.suspend === true,
    stop: stop?.how,
    stopMessage: stop ? (stop.message ?? `${stop.how === 'cancel' ? 'Cancelled' : 'Terminated'} by ${stop.by}.`) : '',
    retries: restarts.retries,
  };
}

/** What `${run.…}` speaks of. */
function runFacts({ metadata, spec, status, now }: View<WorkflowRunSpec>): JsonObject {
  const scheduledAt = metadata.annotations[SCHEDULED_AT];
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    uid: metadata.uid,
    workflow: spec.workflow ?? '',
    startedAt: status?.startedAt ?? new Date(now).toISOString(),
    ...(scheduledAt === undefined ? {} : { scheduledAt }),
  };
}
