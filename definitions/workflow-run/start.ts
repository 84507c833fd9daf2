import type { ChildWish } from '../core/family.ts';
import { jsonBytes } from '../core/json.ts';
import type { View } from '../core/plan.ts';
import type { JsonObject } from '../core/resource.ts';
import type { Step } from '../core/step.ts';
import { msOf } from '../flows/duration.ts';
import { isHandled, timeoutMsOf } from './assess.ts';
import type { Circle } from './circle.ts';
import { type Attempt, flightOf, ONCE } from './flight.ts';
import { cacheLane } from './leaf.ts';
import { hasEnded, isFailing, type Node, type Turn } from './node.ts';
import { childWishOf } from './resource.ts';
import type { StepPhase, WorkflowRunSpec } from './schema.ts';
import { askOf } from './suspend.ts';

/** What has become of a node in this very pass. */
export interface Begun {
  readonly phase: StepPhase;
  readonly attempts: number;
  readonly reason?: string;
  readonly message?: string;
  readonly attemptAt?: number;
}

/** What may happen in a part of the run. */
export interface Gate {
  /** What has not started may start. */
  readonly mayStart: boolean;
  /** What has started may be tried again. */
  readonly mayRetry: boolean;
  /** What is in the air, or waits, stays there. */
  readonly mayStay: boolean;
  /** What nobody has taken yet may go on waiting, and so may what is suspended. */
  readonly mayLinger: boolean;
}

export const OPEN: Gate = { mayStart: true, mayRetry: true, mayStay: true, mayLinger: true };
export const PAUSED: Gate = { mayStart: false, mayRetry: false, mayStay: true, mayLinger: true };
export const SHUT: Gate = { mayStart: false, mayRetry: false, mayStay: false, mayLinger: false };

/** After a failure that nobody takes care of: what runs goes on, unless it is to be aborted. */
const closing = ({ abortRunning }: Circle, gate: Gate): Gate =>
  abortRunning ? SHUT : { mayStart: false, mayRetry: gate.mayRetry, mayStay: gate.mayStay, mayLinger: false };

/** What the server bears of one workflow, with room for the rest of it. */
const MAX_FLIGHTS = 500;
const MAX_START_BYTES = 256 * 1024;
const CACHE_MS = 30_000;

/** Collects what should be under way, as far as there is room for it. */
export class Starter {
  readonly steps: Step[] = [];
  readonly wishes: ChildWish[] = [];
  readonly begun = new Map<string, Begun>();
  readonly wakeAts: number[] = [];
  private slots: number;
  private bytes = MAX_START_BYTES;

  constructor(
    private readonly view: View<WorkflowRunSpec>,
    private readonly circle: Circle,
    nodes: readonly Node[],
  ) {
    this.slots = Math.min(view.spec.parallelism ?? MAX_FLIGHTS, MAX_FLIGHTS) - underWay(nodes);
  }

  /** Starts and keeps what may be under way of some nodes beside each other, at most so many at once. */
  level(nodes: readonly Node[], gate: Gate, parallelism = Number.POSITIVE_INFINITY): void {
    const isClosed = this.circle.failFast && nodes.some((node) => isFailing(node) && !isHandled(node, nodes));
    const here = isClosed ? closing(this.circle, gate) : gate;
    let room = parallelism - nodes.filter((node) => !hasEnded(node) && node.attempts > this.circle.facts.baseOf(node.path)).length;
    for (const node of nodes) {
      if (hasEnded(node)) continue;
      const isNew = node.attempts <= this.circle.facts.baseOf(node.path);
      if (isNew && room <= 0) continue;
      if (this.node(node, here) && isNew) room -= 1;
    }
  }

  /** True when it has started, or goes on. */
  node(node: Node, gate: Gate): boolean {
    if (node.deadline !== undefined && gate.mayStay) this.wakeAts.push(node.deadline);
    return node.children ? this.container(node, node.children, gate) : this.leaf(node, gate);
  }

  private container(node: Node, children: readonly Node[], gate: Gate): boolean {
    const before = this.begun.size;
    this.level(children, gate, node.spec.parallelism);
    const isBegun = node.phase === 'Running' || this.begun.size > before;
    if (node.phase === 'Pending' && isBegun) {
      this.begun.set(node.path, { phase: 'Running', attempts: this.circle.facts.baseOf(node.path) + 1 });
      this.wakeAfter(timeoutMsOf(node));
    }
    return isBegun;
  }

  private leaf(node: Node, gate: Gate): boolean {
    const { turn } = node;
    if (!turn) return false;
    switch (turn.type) {
      case 'first':
        return gate.mayStart && this.first(node, turn);
      case 'lookUp':
        return gate.mayStart && this.lookUp(node, turn);
      case 'fly':
        return this.fly(node, turn, gate);
      case 'resource':
        return this.resource(node, turn, gate);
      case 'suspended':
        return gate.mayLinger;
      default:
        return turn satisfies never;
    }
  }

  private first(node: Node, { attempt, doing }: Extract<Turn, { type: 'first' }>): boolean {
    const { path, spec, type } = node;
    if (spec.suspend) {
      const { says, waitMs } = askOf(doing, this.view.now);
      this.begun.set(path, { phase: 'Suspended', attempts: attempt, ...says });
      this.wakeAfter(waitMs);
      return true;
    }
    if (spec.resource && type !== 'loop') {
      if (this.slots <= 0) return false;
      this.slots -= 1;
      this.wish(node, attempt, doing);
      this.begun.set(path, { phase: 'Running', attempts: attempt, reason: 'WaitingForResource' });
      this.wakeAfter(msOf(doing.timeout));
      return true;
    }
    return this.flight(node, { attempt, again: 0, doing, isAwaited: false }, 'Running');
  }

  private resource(node: Node, { attempt, isUnderWay, notBefore, doing }: Extract<Turn, { type: 'resource' }>, gate: Gate): boolean {
    if (isUnderWay) {
      if (gate.mayStay) this.wish(node, attempt, doing);
      return gate.mayStay;
    }
    if (!gate.mayRetry) return true;
    if (notBefore > this.view.now) {
      this.wakeAts.push(notBefore);
      return true;
    }
    if (this.slots <= 0) return true;
    this.slots -= 1;
    const { path, reason = '', message = '' } = node;
    this.wish(node, attempt, doing);
    this.begun.set(path, { phase: 'Running', attempts: attempt, reason, message, attemptAt: this.view.now });
    this.wakeAfter(msOf(doing.timeout));
    return true;
  }

  private wish({ path, spec }: Node, attempt: number, doing: JsonObject): void {
    this.wishes.push(childWishOf(this.view.metadata.name, path, spec, doing, this.circle.facts.makerOf(path, attempt)));
  }

  private lookUp({ path }: Node, { key, cacheKey, maxAgeMs }: Extract<Turn, { type: 'lookUp' }>): boolean {
    this.steps.push({
      key,
      about: cacheLane(path),
      activity: 'readCache',
      reason: 'LookingUp',
      summary: `${path}: look for a known result`.slice(0, 200),
      input: { key: cacheKey, maxAgeMs, namespace: this.view.metadata.namespace },
      timeouts: { startToCloseMs: CACHE_MS },
      retry: ONCE,
    });
    return true;
  }

  private fly(node: Node, { attempt, again, isUnderWay, isStuck, notBefore, doing }: Extract<Turn, { type: 'fly' }>, gate: Gate): boolean {
    const isAwaited = node.reason === 'ExecutorUnavailable';
    if (isUnderWay) {
      const mayStay = isStuck ? gate.mayLinger : gate.mayStay;
      if (mayStay) this.steps.push(this.stepOf(node, { attempt, again, doing, isAwaited }));
      return mayStay;
    }
    if (!(isStuck ? gate.mayStart : gate.mayRetry)) return true;
    if (notBefore > this.view.now) {
      this.wakeAts.push(notBefore);
      return true;
    }
    this.flight(node, { attempt, again, doing, isAwaited }, isStuck ? 'Pending' : 'Running');
    return true;
  }

  private flight(node: Node, how: Parameters<Starter['stepOf']>[1], phase: StepPhase): boolean {
    if (this.slots <= 0) return false;
    const step = this.stepOf(node, how);
    const bytes = jsonBytes(step.input);
    if (bytes > this.bytes && this.bytes < MAX_START_BYTES) return false;
    this.bytes -= bytes;
    this.slots -= 1;
    this.steps.push(step);
    const { reason, message } = node;
    this.begun.set(node.path, { phase, attempts: how.attempt, ...(reason ? { reason, message: message ?? '' } : {}) });
    return true;
  }

  private wakeAfter(ms: number | undefined): void {
    if (ms !== undefined) this.wakeAts.push(this.view.now + ms);
  }

  private stepOf({ path, spec }: Node, how: Pick<Attempt, 'attempt' | 'again' | 'doing' | 'isAwaited'>): Step {
    const { facts } = this.circle;
    return flightOf(this.view, { path, spec, round: facts.roundOf(path), heard: facts.heardOf(path), ...how });
  }
}

/** Leaves that are in the air, or were parked there. */
function underWay(nodes: readonly Node[]): number {
  let count = 0;
  for (const { children, turn } of nodes) {
    if (children) count += underWay(children);
    else if ((turn?.type === 'resource' || turn?.type === 'fly') && turn.isUnderWay) count += 1;
  }
  return count;
}
