import { testDepends } from '../core/expressions/index.ts';
import type { JsonObject } from '../core/resource.ts';
import { msOf } from '../flows/duration.ts';
import { isLoop, typeOf } from '../flows/form.ts';
import { levelOf } from '../flows/level.ts';
import { type Needs, referencesOf, statedOf } from '../flows/needs.ts';
import { LOOP_ROOTS } from '../flows/parts.ts';
import { MAX_STEPS, type StepSpec } from '../flows/schema.ts';
import type { Circle } from './circle.ts';
import { dropped } from './dropped.ts';
import { timeOf } from './facts.ts';
import { itemsOf } from './items.ts';
import { hasBegun, standingOf } from './leaf.ts';
import { type Around, hasEnded, isFailing, type Node } from './node.ts';
import { outcomeOf, unmet } from './outcome.ts';
import { fill, holds } from './scope.ts';
import { joined } from './sentences.ts';
import { hopeless, type Standing } from './standing.ts';
import { spanText, tooLong } from './words.ts';

/** What waits for an answer of somebody may be in a loop, but not in a long one: each is shown, and remembered there. */
const MAX_WAITING_ITERATIONS = 100;

/**
 * How the steps of one level stand, given what has happened; nothing is started here.
 *
 * Guarantees: pure; a step whose needs are not decided waits; one whose needs can never come true is Omitted.
 * Assumes steps without cycles, as `flowClashes` leaves them.
 */
export function assess(circle: Circle, steps: readonly StepSpec[], prefix: string, around: Around): readonly Node[] {
  const { needs, order } = levelOf(steps);
  const nodes = new Map<string, Node>();
  const inside: Around = { ...around, find: (name) => nodes.get(name) ?? around.find(name) };
  const redone = new Set<string>();
  for (const place of order) {
    const step = steps[place] as StepSpec;
    const need = needs[place] as Needs;
    const path = `${prefix}${step.name}`;
    const node = assessStep(circle, step, path, inside, need, redone);
    nodes.set(step.name, node);
    const isAnew = !hasEnded(node) && circle.facts.baseOf(path) > 0;
    if (isAnew || need.stated.some((name) => redone.has(name)) || need.implied.some((name) => redone.has(name))) redone.add(step.name);
  }
  return steps.map(({ name }) => nodes.get(name) as Node);
}

/** @param redone what begins again after a retry, or rests on that: it counts as not ended, even if it had succeeded before. */
function assessStep(circle: Circle, spec: StepSpec, path: string, around: Around, needs: Needs, redone: ReadonlySet<string>): Node {
  const base = { path, name: spec.name, spec, type: isLoop(spec) ? ('loop' as const) : typeOf(spec), around };
  const node = (standing: Standing): Node => ({ ...base, ...standing });
  const skipped = skippedByHand(circle, path);
  if (skipped) return node(skipped);
  if (!hasBegun(circle.facts, path)) {
    const waiting = wait(circle, spec, path, around, needs, redone);
    if (waiting) return { ...node(waiting), ...(spec.steps || isLoop(spec) ? keptInside(circle, spec, path, around) : {}) };
  }
  if (base.type === 'loop') return assessLoop(circle, spec, path, around);
  return spec.steps ? assessGroup(circle, spec, path, around) : node(standingOf(circle, path, spec, around));
}

/** What has ended inside a step, and stays so, remains in sight and known while a retry makes the step wait for its needs again. */
function keptInside(circle: Circle, spec: StepSpec, path: string, around: Around): Pick<Node, 'children'> {
  if (circle.facts.baseOf(path) === 0) return {};
  const inside = isLoop(spec) ? assessLoop(circle, spec, path, around) : assessGroup(circle, spec, path, around);
  return keptChildren(circle, inside);
}

/** Of a loop all or none, since they are counted. */
function keptChildren(circle: Circle, { type, children = [] }: Node): Pick<Node, 'children'> {
  const all = children.map((child) => kept(circle, child));
  const some = all.filter((child) => child.children ?? hasEnded(child));
  return some.length === 0 ? {} : { children: type === 'loop' ? all : some };
}

function kept(circle: Circle, node: Node): Node {
  const isDone = (node.phase === 'Succeeded' || node.phase === 'Failed') && node.attempts > 0;
  if (isDone || node.reason === SKIPPED_BY_HAND) return node;
  const { path, name, spec, type, around } = node;
  return { path, name, spec, type, around, attempts: circle.facts.baseOf(path), phase: 'Pending', ...keptChildren(circle, node) };
}

const SKIPPED_BY_HAND = 'SkippedByHand';

/** Somebody said that it shall be left out. */
export function skippedByHand({ facts }: Circle, path: string): Standing | undefined {
  const word = facts.wordOf(path);
  if (word?.verdict !== 'skip') return undefined;
  const entry = facts.entryOf(path);
  const message = word.message ?? `Skipped by ${word.by}.`;
  return {
    phase: 'Skipped',
    reason: SKIPPED_BY_HAND,
    message,
    attempts: entry?.attempts ?? 0,
    finishedAt: timeOf(entry?.finishedAt) ?? facts.now,
  };
}

/** Why a step does not begin, if it does not. */
function wait(
  circle: Circle,
  spec: StepSpec,
  path: string,
  around: Around,
  { stated, implied }: Needs,
  redone: ReadonlySet<string>,
): Standing | undefined {
  const attempts = circle.facts.baseOf(path);
  const find = (name: string) => around.find(name) as Node;
  const isOpen = (name: string) => redone.has(name) || !hasEnded(find(name));
  const plainly = spec.depends === undefined ? [...stated, ...implied] : [];
  const failed = plainly.find((name) => !isOpen(name) && !isFulfilled(find(name)));
  if (failed !== undefined) return { phase: 'Omitted', reason: 'DependencyUnmet', message: unmet(find(failed)), attempts };
  if (spec.depends !== undefined) {
    const isMet = testDepends(spec.depends, (name, outcome) => (isOpen(name) ? undefined : outcomeOf(find(name), outcome)));
    if (isMet === false) return { phase: 'Omitted', reason: 'DependencyUnmet', message: `${spec.depends} is not true.`, attempts };
    if (isMet === undefined) return { phase: 'Pending', attempts };
  }
  if ((spec.depends === undefined ? plainly : implied).some(isOpen)) return { phase: 'Pending', attempts };
  return isLoop(spec) && speaksOfItem(spec) ? undefined : condition(circle, spec, path, around);
}

/** Others that depend on it may go on. */
const isFulfilled = ({ phase, spec }: Node): boolean =>
  phase === 'Succeeded' || phase === 'Skipped' || (phase === 'Failed' && spec.continueOnFailure === true);

function condition({ facts }: Circle, spec: StepSpec, path: string, around: Around): Standing | undefined {
  if (spec.when === undefined) return undefined;
  const answer = holds(spec.when, around);
  if ('problem' in answer) return hopeless(facts, path, 'ConditionFailed', `when: ${answer.problem}`);
  return answer.value
    ? undefined
    : { phase: 'Skipped', reason: 'ConditionFalse', message: `${spec.when} is not true.`, attempts: facts.baseOf(path) };
}

const speaksOfItem = ({ when, name }: StepSpec): boolean =>
  referencesOf({ name, when }).some(([root]) => (LOOP_ROOTS as readonly string[]).includes(root ?? ''));

function assessGroup(circle: Circle, spec: StepSpec, path: string, around: Around): Node {
  const children = assess(circle, spec.steps ?? [], `${path}.`, around);
  const outputs = (): JsonObject | { readonly problem: string } => {
    const inner: Around = { ...around, find: (name) => children.find((child) => child.name === name) ?? around.find(name) };
    const filled = fill(spec.outputs ?? {}, inner, { result: {} });
    return 'problem' in filled ? { problem: `outputs: ${filled.problem}` } : (filled.value as JsonObject);
  };
  return container(circle, { path, name: spec.name, spec, type: 'steps', around, children, attempts: 0, phase: 'Pending' }, outputs);
}

function assessLoop(circle: Circle, spec: StepSpec, path: string, around: Around): Node {
  const { facts, expanded } = circle;
  const loop: Node = { path, name: spec.name, spec, type: 'loop', around, attempts: facts.baseOf(path), phase: 'Pending' };
  const items = itemsOf(spec, around);
  if ('problem' in items) return { ...loop, ...hopeless(facts, path, 'LoopFailed', items.problem) };
  const { length } = items.value;
  if (length === 0) return { ...loop, phase: 'Skipped', reason: 'EmptyLoop', message: 'There is nothing to go over.' };
  expanded.count += length;
  if (expanded.count > MAX_STEPS) {
    const message = `With its ${length} iterations the loops of this run have ${expanded.count}; at most ${MAX_STEPS} in all are allowed.`;
    return { ...loop, ...hopeless(facts, path, 'LoopFailed', message) };
  }
  if (length > MAX_WAITING_ITERATIONS && holdsWaiting(spec)) {
    const message = `A loop over resource or suspend has at most ${MAX_WAITING_ITERATIONS} iterations (has ${length}).`;
    return { ...loop, ...hopeless(facts, path, 'LoopFailed', message) };
  }
  const children = items.value.map((item, index) =>
    assessIteration(circle, spec, `${path}[${index}]`, { ...around, iteration: { item, index } }),
  );
  return container(circle, { ...loop, children }, () => collected(children));
}

const holdsWaiting = ({ resource, suspend, steps = [] }: StepSpec): boolean =>
  resource !== undefined || suspend !== undefined || steps.some(holdsWaiting);

function assessIteration(circle: Circle, spec: StepSpec, path: string, around: Around): Node {
  const node = (standing: Standing): Node => ({ path, name: path, spec, type: typeOf(spec), around, ...standing });
  const skipped = skippedByHand(circle, path);
  if (skipped) return node(skipped);
  if (!hasBegun(circle.facts, path) && spec.when !== undefined && speaksOfItem(spec)) {
    const off = condition(circle, spec, path, around);
    if (off) return node(off);
  }
  return spec.steps ? assessGroup(circle, spec, path, around) : node(standingOf(circle, path, spec, around));
}

/** What the iterations said, each output as a list in their order. */
function collected(children: readonly Node[]): JsonObject {
  const names = new Set(children.flatMap(({ outputs }) => Object.keys(outputs ?? {})));
  return Object.fromEntries([...names].map((name) => [name, children.map(({ outputs }) => outputs?.[name] ?? null)]));
}

/** How something stands that has others inside it. */
function container(circle: Circle, node: Node, outputs: () => JsonObject | { readonly problem: string }): Node {
  const { facts } = circle;
  const { path, spec, children = [] } = node;
  const entry = facts.entryOf(path);
  const isStarted = entry !== undefined || children.some(({ attempts, path: inner }) => attempts > facts.baseOf(inner));
  const startedAt = timeOf(entry?.startedAt) ?? (isStarted ? facts.now : undefined);
  const attempts = facts.baseOf(path) + (isStarted ? 1 : 0);
  const begun = { ...node, attempts, ...(startedAt === undefined ? {} : { startedAt }) };
  const isAll = node.type === 'loop';
  const failures = children.filter((child) => isFailing(child) && (isAll || !isHandled(child, children)));
  const isDoomed = failures.length > 0;
  const finishedAt = () => timeOf(entry?.finishedAt) ?? facts.now;
  const broken = (reason: string, message: string): Node => ({
    ...begun,
    phase: 'Failed',
    reason,
    message,
    finishedAt: finishedAt(),
    isDoomed: true,
    children: dropped(circle, children, message),
  });
  if (entry?.phase === 'Failed' && entry.reason === 'TimedOut') {
    return broken('TimedOut', entry.message ?? late(node));
  }
  const isClosed = isDoomed && circle.failFast && !(isAll && spec.continueOnFailure);
  const isOver = children.every(hasEnded) || (isClosed && !children.some((child) => isBusy(circle, child)));
  if (isOver && isDoomed) {
    const message = joined(failures.map(failure));
    return broken('StepFailed', message);
  }
  if (isOver) {
    const said = outputs();
    if ('problem' in said)
      return { ...begun, phase: 'Failed', reason: 'OutputsFailed', message: String(said.problem), finishedAt: finishedAt() };
    const isIdle = children.every(({ phase }) => phase === 'Skipped' || phase === 'Omitted');
    return {
      ...begun,
      phase: isIdle ? 'Skipped' : 'Succeeded',
      ...(isIdle ? { reason: 'AllSkipped' } : {}),
      finishedAt: finishedAt(),
      outputs: said as JsonObject,
    };
  }
  const limitMs = timeoutMsOf(node);
  const deadline = limitMs === undefined || startedAt === undefined ? undefined : startedAt + limitMs;
  if (deadline !== undefined && deadline <= facts.now) {
    return broken('TimedOut', late(node));
  }
  return { ...begun, phase: isStarted ? 'Running' : 'Pending', isDoomed, ...(deadline === undefined ? {} : { deadline }) };
}

const late = (node: Node): string => tooLong('It', spanText(timeoutOf(node)));

/** A loop's time-out is that of each iteration; only steps with steps of their own have one as a whole. */
export const timeoutMsOf = (node: Node): number | undefined => msOf(timeoutOf(node));

function timeoutOf({ type, spec: { timeout }, around }: Node): unknown {
  if (type !== 'steps' || timeout === undefined) return undefined;
  const filled = fill(timeout, around);
  return 'value' in filled ? filled.value : undefined;
}

const failure = ({ path, message }: Node): string => (message ? `${path}: ${message}` : `${path} has failed`);

/** Whether somebody takes care of a failure: the step itself says so, or one that rests on it by an expression can still go on. */
export function isHandled(node: Node, level: readonly Node[]): boolean {
  if (node.spec.continueOnFailure) return true;
  const rests = level.filter(({ spec, name }) => spec.depends !== undefined && name !== node.name && statedOf(spec).includes(node.name));
  if (rests.length === 0) return false;
  const beside = new Map(level.map((one) => [one.name, one]));
  return rests.some(({ spec }) => testDepends(spec.depends ?? '', (name, outcome) => outcomeOf(beside.get(name), outcome)) !== false);
}

/** Something of it must be waited for before what it is part of can be over. */
export function isBusy(circle: Circle, node: Node): boolean {
  if (node.children) return node.children.some((child) => isBusy(circle, child));
  if (circle.facts.isFlying(node.path)) return true;
  if (circle.abortRunning || !node.turn) return false;
  return node.turn.type === 'resource' || (node.turn.type === 'fly' && !node.turn.isStuck);
}
