import { checkWith } from '../../core/issues/index.ts';
import type { Plan, View } from '../../core/plan.ts';
import type { Condition, JsonObject } from '../../core/resource.ts';
import type { Failing, Observation, Step } from '../../core/step.ts';
import { workflowRun } from '../index.ts';
import type { StepStatus, WorkflowRunSpec } from '../schema.ts';

const START = Date.UTC(2026, 0, 1);
const NEVER = Number.MAX_SAFE_INTEGER;

interface Flight {
  readonly step: Step;
  isCancelled: boolean;
}

/** Plays the loop of one run by hand: a pass plans and starts, and the test says how each flight lands. */
export class Stage {
  now = START;
  spec: WorkflowRunSpec;
  observed: Record<string, Observation> = {};
  failing: Record<string, Failing> = {};
  status: View['status'];
  readonly air = new Map<string, Flight>();
  /** Everything that ever took off, oldest first. */
  readonly log: Step[] = [];
  plan!: Plan;
  isRetired = false;

  constructor(spec: unknown) {
    const checked = checkWith(workflowRun.spec, spec, 'spec');
    if ('issues' in checked) throw new Error(JSON.stringify(checked.issues));
    this.spec = checked.value;
    this.pass();
  }

  get view(): View<WorkflowRunSpec> {
    return {
      now: this.now,
      apiVersion: 'automation.colonies.io/v1',
      kind: 'WorkflowRun',
      metadata: {
        name: 'r1',
        namespace: 'default',
        uid: 'u1',
        resourceVersion: '1',
        generation: 1,
        creationTimestamp: new Date(START).toISOString(),
        labels: {},
        annotations: {},
        ownerReferences: [],
        finalizers: [],
      },
      spec: this.spec,
      deleting: false,
      observed: this.observed,
      failing: this.failing,
      nudge: 0,
      inAir: [...this.air.values()].map(({ step }) => step.key),
      status: this.status,
      tuning: { scheduleToStartMs: 30_000, firstRetryMs: 1_000, defaultNode: 'n1' },
    };
  }

  get phase(): string | undefined {
    return this.status?.phase;
  }

  get steps(): Readonly<Record<string, StepStatus>> {
    return (this.status?.steps ?? {}) as Readonly<Record<string, StepStatus>>;
  }

  /** Phases by path. */
  get phases(): Record<string, string> {
    return Object.fromEntries(Object.entries(this.steps).map(([path, { phase }]) => [path, phase]));
  }

  /** Paths of the steps in the air that are wanted. */
  get flying(): string[] {
    return [...this.air.values()].filter(({ isCancelled }) => !isCancelled).map(({ step }) => step.about.replace(/^step\//, ''));
  }

  /** What was started of one path, in order. */
  flightsOf(path: string): Step[] {
    return this.log.filter(({ about }) => about === `step/${path}`);
  }

  conditionOf(type: string): Condition | undefined {
    return this.status?.conditions?.find((one) => one.type === type);
  }

  pass(): Plan {
    this.plan = workflowRun.plan(this.view);
    const { steps, status, phase, conditions = [], forget = [] } = this.plan;
    const at = new Date(this.now).toISOString();
    this.status = JSON.parse(
      JSON.stringify({
        ...status,
        phase,
        conditions: conditions.map((one) => ({ ...one, lastTransitionTime: at, observedGeneration: 1 })),
      }),
    ) as NonNullable<View['status']>;
    for (const lane of forget) delete this.observed[lane];
    const wanted = new Map(steps.filter((step) => !this.isResting(step)).map((step) => [step.about, step]));
    for (const [about, flight] of this.air) if (wanted.get(about)?.key !== flight.step.key) flight.isCancelled = true;
    for (const [about, step] of wanted) {
      if (this.air.has(about)) continue;
      this.air.set(about, { step, isCancelled: false });
      this.log.push(step);
    }
    this.isRetired ||= this.plan.retire === true;
    return this.plan;
  }

  /** Lands a flight with a result. */
  land(path: string, value: unknown = {}): this {
    const { step } = this.take(path);
    this.observed[step.about] = { key: step.key, generation: 1, at: this.now, value };
    delete this.failing[step.about];
    this.pass();
    return this;
  }

  /** Lands a flight with a failure. */
  fail(path: string, reason = 'Error', { message = 'boom', isFinal = false } = {}): this {
    const { step, isCancelled } = this.take(path);
    const earlier = this.failing[step.about];
    const count = earlier?.key === step.key ? earlier.count + 1 : 1;
    if (!isCancelled) {
      this.failing[step.about] = { key: step.key, reason, message, count, since: this.now, retryAt: isFinal ? NEVER : this.now };
    }
    this.pass();
    return this;
  }

  /** A flight that nobody wants any more lands without an answer; the same when a run of the workflow hands over. */
  drop(path: string): this {
    this.take(path);
    this.pass();
    return this;
  }

  command(name: string, args: JsonObject = {}): unknown {
    const effect = workflowRun.commands?.[name]?.(this.view, args, { actor: 'ann', now: this.now, name: 'r1' }) ?? {};
    if (effect.refuse || effect.issues?.length) return effect.refuse ?? effect.issues;
    if (effect.spec) this.spec = effect.spec;
    for (const [about, value] of Object.entries(effect.remember ?? {}))
      this.observed[about] = { key: 'command', generation: 1, at: this.now, value };
    this.pass();
    return effect.answer;
  }

  /** Applies another spec: issues, or none. */
  apply(spec: unknown): readonly { path: string; message: string }[] {
    const checked = checkWith(workflowRun.spec, spec, 'spec');
    if ('issues' in checked) return checked.issues;
    const issues = workflowRun.admit?.(checked.value, this.view, { actor: 'ann', now: this.now }).issues ?? [];
    if (issues.length > 0) return issues;
    this.spec = checked.value;
    this.pass();
    return [];
  }

  /** Time passes; the alarm rings as planned on the way. */
  wait(ms: number): this {
    const until = this.now + ms;
    for (let rings = 0; rings < 1_000; rings += 1) {
      const { wakeAt } = this.plan;
      if (wakeAt === undefined || wakeAt > until) break;
      this.now = Math.max(wakeAt, this.now);
      this.pass();
    }
    this.now = until;
    return this;
  }

  private isResting({ about, key }: Step): boolean {
    const failing = this.failing[about];
    return failing?.key === key && failing.retryAt > this.now;
  }

  private take(path: string): Flight {
    const about = this.air.has(path) ? path : `step/${path}`;
    const flight = this.air.get(about);
    if (!flight) throw new Error(`${path} is not in the air; there are: ${[...this.air.keys()].join(', ')}`);
    this.air.delete(about);
    this.now += 1;
    return flight;
  }
}

/** A function step, with whatever else it has. */
export const fn = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  functionSpec: { funcName: name.replaceAll('-', '_'), conditions: { executorType: 'q' } },
  ...more,
});
