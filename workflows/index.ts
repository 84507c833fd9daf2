import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  makeContinueAsNewFunc,
  patched,
  proxyLocalActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { DecideRequest, Decision, Mail, PlanAnswer, RolloverLimits } from '../definitions/core/decision.ts';
import { jsonBytes } from '../definitions/core/replayed/bytes.ts';
import { Alarm } from './alarm.ts';
import { carried, whyNotCarried } from './carry.ts';
import { Flights } from './flights.ts';
import { Herald } from './herald.ts';
import { fitting, Inbox } from './inbox.ts';
import { eventsQuery, familyQuery, historyQuery, resourceQuery, statusQuery } from './messages.ts';
import { familyOf, handOver, patchStatus, publish } from './publish.ts';
import { settle } from './settle.ts';
import { newborn, note, type ResourceState, resourceOf } from './state.ts';

/** What schedules start; every other type is a kind. */
export { scheduledRun } from './scheduled-run.ts';

const { decide } = proxyLocalActivities<{ decide(request: DecideRequest): Promise<Decision> }>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '100ms', maximumInterval: '5s' },
});

/** How long a workflow that was started without a word waits for one. */
const FIRST_WORD = '10s';
/** How much may be taken in and decided within one task before it is sent off: the server takes four times this in one message. */
const MAX_TASK_BYTES = 1024 * 1024;
/** How many times its limits a run may grow while something is in the air; and while that minds being cancelled, far below what the server takes. */
const URGENT = 2;
const UNBEARABLE = 8;
/** How long a status that changed only in detail may wait to be shown. */
const DETAIL_MS = 1_000;
/** Runs from before it set the alarm anew although a landing had set it. */
const KEEPS_ALARM = 'a-landing-keeps-its-alarm';
/** Runs from before it did not look at mail that came while they waited to end, so that who had sent it waited for ever. */
const MAIL_FIRST = 'mail-before-the-end';
/** Runs from before it handed over at once when they had begun too large, again and again, and also what the server does not take. */
const HANDS_OVER_WHAT_HELPS = 'a-hand-over-helps';

/** What a start gives: a manifest (it counts as the first apply), or the state that an earlier run carried over. */
type Start = { readonly carried?: ResourceState } | Record<string, unknown> | undefined;

/**
 * The life of one resource, of whatever kind: the workflow type is the kind.
 *
 * Guarantees: one decision at a time, recorded in the history; every message is answered in order; a newer spec interrupts
 * what an older one had under way; cancelling the workflow means delete; a settled resource writes no events.
 */
export default async function resource(start?: Start): Promise<unknown> {
  const state = stateOf(start);
  const life = new Life(state);
  CancellationScope.current().cancelRequested.catch(() => life.inbox.put({ type: 'delete', via: 'cancel', body: {} }));
  return CancellationScope.nonCancellable(() => life.live());
}

class Life {
  readonly inbox: Inbox;
  private readonly flights: Flights;
  private readonly alarm = new Alarm(() => this.wake());
  private readonly herald: Herald;
  private dirty = false;
  /** Something landed since the object was last shown whole. */
  private hasNews = false;
  /** Landings since the last decision was asked for, and how many the last plan waits for. */
  private landed = 0;
  private awaited = 1;
  /** The run is handing over to the next: nothing new takes off. */
  private isParking = false;
  /** Of the history when this run began: what it took over from the one before. */
  private readonly bornWithBytes = workflowInfo().historySize;
  /** Bytes of decisions since a task surely ended. */
  private decidedBytes = 0;

  constructor(private readonly state: ResourceState) {
    this.flights = new Flights(state, (isWell) => {
      this.hasNews = true;
      this.landed += 1;
      if (!isWell || this.landed >= this.awaited) this.wake();
      else this.alarm.setAtLatest(Date.now() + DETAIL_MS);
    });
    this.inbox = new Inbox(state, (about) => this.flights.has(about));
    this.herald = new Herald(state);
    this.inbox.open();
    setHandler(resourceQuery, () => resourceOf(state), { description: 'The whole object' });
    setHandler(statusQuery, () => state.status ?? null, { description: 'Its status' });
    setHandler(eventsQuery, () => state.events, { description: 'What happened and why' });
    setHandler(historyQuery, () => state.revisions, { description: 'Earlier specs, for rollback' });
    setHandler(familyQuery, () => familyOf(state), { description: 'The resources that it answers for, oldest first' });
  }

  async live(): Promise<unknown> {
    const { state, inbox, flights } = this;
    if (!state.spec && inbox.isEmpty) await condition(() => !inbox.isEmpty, FIRST_WORD);
    for (;;) {
      this.dirty = false;
      this.landed = 0;
      const batch = inbox.batch();
      const decision = await decide(question(state, batch, flights.keys));
      this.decidedBytes += jsonBytes(decision);
      const { answers, again, asDecided } = settle(state, batch, decision, Date.now());
      inbox.close(batch, again, answers);
      this.awaited = decision.plan?.landings ?? 1;
      if (!asDecided || this.dirty || this.landed >= this.awaited || !inbox.isEmpty) {
        await this.breathe();
        continue; // the state moved: think again before acting
      }
      const { plan } = decision;
      if (!state.spec || !plan) return this.endUnborn();
      const now = Date.now();
      for (const { type, reason, message } of plan.notes) note(state, type, reason, message, now);
      patchStatus(state, plan.status, now);
      for (const lane of plan.forget ?? []) delete state.observed[lane];
      const hasStarted = this.carryOut(plan);
      const shownAt = plan.inDetail ? (state.published.at ?? 0) + DETAIL_MS : now;
      if (shownAt <= now) {
        publish(state, { whole: this.hasNews || !hasStarted || plan.publishFirst === true }, now);
        this.hasNews = false;
      }
      if (plan.tell) await this.herald.tell(plan.tell);
      if (plan.retire && !state.deletion) {
        inbox.put({ type: 'delete', via: 'cancel', body: {} });
        continue;
      }
      if (isOver(state, plan.finalized) && (state.deletion?.forced || flights.isEmpty)) {
        await this.silence();
        if (inbox.isEmpty) return { deleted: state.meta.uid, leftBehind: state.deletion?.forced ? plan.leftBehind : [] };
        continue;
      }
      if (await this.rollOver(plan.rollover)) {
        this.herald.handOver();
        const inNextRun = makeContinueAsNewFunc<(start: Start) => Promise<unknown>>(handOver(state, Date.now()));
        await inNextRun({ carried: carried(state) });
      }
      const wakeAt = shownAt > now ? Math.min(plan.wakeAt ?? shownAt, shownAt) : plan.wakeAt;
      const isResting = !this.dirty && inbox.isEmpty;
      // What landed since the decision was asked for waits to be shown, and has set the alarm for it.
      if (isResting && this.landed > 0 && patched(KEEPS_ALARM)) this.alarm.setAtLatest(wakeAt);
      else this.alarm.set(wakeAt);
      if (isResting) this.sentOff();
      await condition(() => this.dirty || !inbox.isEmpty);
    }
  }

  /** Starts and cancels flights as planned. True when something started. */
  private carryOut({ start, cancel = [], steps }: PlanAnswer): boolean {
    if (this.isParking) this.flights.cancelAll();
    else if (start) return this.flights.change(start, cancel);
    else if (steps) return this.flights.sync(steps);
    return false;
  }

  private wake(): void {
    this.dirty = true;
  }

  /** What a task took in and decided goes to the server with its end, in one message: when that is much, before more is decided. */
  private async breathe(): Promise<void> {
    if (this.decidedBytes + this.inbox.takenBytes < MAX_TASK_BYTES) return;
    this.sentOff();
    await sleep(1, { summary: 'send off what is decided' });
  }

  private sentOff(): void {
    this.decidedBytes = 0;
    this.inbox.takenBytes = 0;
  }

  /** True when the run may end here: its limit is near, nothing is in the air and nobody waits for an answer. */
  private async rollOver(limits: RolloverLimits): Promise<boolean> {
    const { historyLength, historySize } = workflowInfo();
    const fill = Math.max(historyLength / limits.events, historySize / limits.bytes, this.inbox.updatesTaken / limits.updates);
    if (fill < 1 || this.isInVain(limits)) return false;
    if (!this.flights.isEmpty && (fill >= UNBEARABLE || (fill >= URGENT && this.flights.isBreakable))) {
      this.isParking = true;
      this.flights.cancelAll();
    }
    if (!this.flights.isEmpty) return false;
    await this.silence();
    return this.inbox.isEmpty;
  }

  /** To hand over would help nothing: the next run would begin as large as this one is, or not at all. */
  private isInVain(limits: RolloverLimits): boolean {
    const { historyLength, historySize } = workflowInfo();
    const grown = historySize - this.bornWithBytes;
    const isYoung = historyLength < limits.events && grown < limits.bytes && this.inbox.updatesTaken < limits.updates;
    const obstacle = isYoung ? undefined : whyNotCarried(this.state);
    if ((!isYoung && obstacle === undefined) || !patched(HANDS_OVER_WHAT_HELPS)) return false;
    if (obstacle !== undefined) note(this.state, 'Warning', 'TooLargeToHandOver', obstacle, Date.now());
    return true;
  }

  /** Ends when all news has arrived and nobody waits for an answer, or when there is mail: who sent it waits for us. */
  private async silence(): Promise<void> {
    await this.herald.silence;
    await condition(() => allHandlersFinished() || (!this.inbox.isEmpty && patched(MAIL_FIRST)));
  }

  /** No spec was ever accepted: whoever asked by update has been told, whoever signalled reads it here. */
  private async endUnborn(): Promise<unknown> {
    await condition(allHandlersFinished);
    const { rejected } = this.state;
    if (rejected) throw ApplicationFailure.nonRetryable(rejected, 'Invalid');
    return null;
  }
}

function stateOf(start: Start): ResourceState {
  const { workflowId, workflowType, firstExecutionRunId, continuedFromExecutionRunId, startTime } = workflowInfo();
  // Only from a run of our own: who starts a workflow with a field of that name gets it checked like any other.
  if (continuedFromExecutionRunId && start && 'carried' in start && start.carried) return start.carried as ResourceState;
  const state = newborn({ workflowId, workflowType, uid: firstExecutionRunId, startedAt: startTime.getTime() });
  if (start !== undefined && start !== null) state.inbox.push(fitting({ type: 'apply', via: 'start', body: start }));
  return state;
}

function isOver(state: ResourceState, finalized: boolean): boolean {
  if (!state.deletion) return false;
  return state.deletion.forced || finalized;
}

/** All that a decision may depend on. */
function question(state: ResourceState, mail: readonly Mail[], inAir: readonly string[]): DecideRequest {
  const { workflowId, workflowType } = workflowInfo();
  const seen = state.status?.observedGeneration;
  const specOf = (wanted: unknown) => state.revisions.find(({ generation }) => generation === wanted)?.spec;
  const previousSpec = seen === state.meta.generation ? undefined : specOf(seen);
  const stableSpec = specOf(state.status?.stableGeneration);
  return {
    workflowId,
    workflowType,
    now: Date.now(),
    ...(state.apiVersion ? { apiVersion: state.apiVersion } : {}),
    metadata: state.meta,
    ...(state.spec ? { spec: state.spec } : {}),
    ...(previousSpec ? { previousSpec } : {}),
    ...(stableSpec ? { stableSpec } : {}),
    ...(state.definition ? { definition: state.definition } : {}),
    deleting: state.deletion !== undefined,
    ...(state.deletion ? { propagation: state.deletion.propagation } : {}),
    observed: state.observed,
    failing: state.failing,
    nudge: state.nudge,
    ...(inAir.length > 0 ? { inAir } : {}),
    ...(state.status ? { status: state.status } : {}),
    ...(state.told === undefined ? {} : { told: state.told }),
    ...(state.rejected ? { rejected: state.rejected } : {}),
    ...(state.rejectedBy ? { rejectedBy: state.rejectedBy } : {}),
    ...(mail.some(({ type }) => type === 'command') ? { revisions: state.revisions } : {}),
    mail,
  };
}
