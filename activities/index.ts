import type { Client } from '@temporalio/client';
import type { RolloverLimits } from '../definitions/core/decision.ts';
import type { Tuning } from '../definitions/core/plan.ts';
import { createApplyChildren } from './children/apply-children.ts';
import { createAwaitChildren } from './children/await-children.ts';
import { createRemoveChildren } from './children/remove-children.ts';
import { createTellOwner } from './children/tell-owner.ts';
import { createDecide } from './decisions/decide.ts';
import { createFindKind } from './decisions/find-kind.ts';
import { createAwaitNoInstances } from './definitions/await-no-instances.ts';
import { createRefreshInstances } from './definitions/refresh-instances.ts';
import type { HttpPolicy } from './flows/http-policy.ts';
import { createFlowActivities } from './flows/index.ts';
import { whileReporting } from './instances/reporting.ts';
import type { Revealer } from './secrets/revealer.ts';

/** What the activities need from the process they run in. */
export interface ActivityDeps {
  readonly client: Client;
  readonly tuning: Tuning;
  readonly rollover: RolloverLimits;
  /** Where HTTP steps may go. */
  readonly http?: HttpPolicy;
  /** Puts in the secrets that HTTP steps name; without it there are none. */
  readonly revealer?: Revealer;
}

export const defaultTuning: Tuning = { scheduleToStartMs: 30_000, firstRetryMs: 1_000 };
export const defaultRollover: RolloverLimits = { events: 2_000, bytes: 1024 * 1024, updates: 1_000 };

/** All activities of the `colony` task queue. */
export function createActivities({ client, tuning, rollover, http, revealer }: ActivityDeps) {
  return {
    decide: createDecide({ findKind: createFindKind(client), tuning, rollover }),
    applyChildren: heard(createApplyChildren(client)),
    awaitChildren: heard(createAwaitChildren(client)),
    removeChildren: heard(createRemoveChildren(client)),
    tellOwner: createTellOwner(client),
    awaitNoInstances: heard(createAwaitNoInstances(client)),
    refreshInstances: heard(createRefreshInstances(client)),
    ...createFlowActivities(client, http, revealer),
  };
}

/** The server hears of it all the time, also while others let it wait: when its process is gone, it soon begins anew elsewhere. */
const heard =
  <Request, Answer>(activity: (request: Request) => Promise<Answer>): ((request: Request) => Promise<Answer>) =>
  (request) =>
    whileReporting(() => activity(request));
