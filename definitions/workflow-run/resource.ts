import { annotations } from '../core/annotations.ts';
import { childOf, childProblemsOf, inventoryOf, isBrought, isChildReady, newsOf, wishOf } from '../core/children.ts';
import { type Reference, readExpression, test } from '../core/expressions/index.ts';
import type { ChildNews, ChildWish } from '../core/family.ts';
import { jsonBytes } from '../core/json.ts';
import type { View } from '../core/plan.ts';
import type { JsonObject } from '../core/resource.ts';
import { toldPath, toldTree } from '../core/told-path.ts';
import { msOf } from '../flows/duration.ts';
import { OBJECT_ROOTS } from '../flows/form-clashes.ts';
import { doingPartOf } from '../flows/parts.ts';
import { policyOf } from '../flows/retry.ts';
import type { StepSpec } from '../flows/schema.ts';
import type { ResourceForm } from '../flows/schema-forms.ts';
import type { Circle } from './circle.ts';
import { attemptsOf, timeOf } from './facts.ts';
import { madeBy } from './made-anew.ts';
import type { Around } from './node.ts';
import { fill } from './scope.ts';
import { hopeless, outputsOf, type Standing, shown } from './standing.ts';
import { spanText } from './words.ts';

/** What a step took from a resource stands in the status of the run, whole. */
const MAX_TAKEN_BYTES = 4 * 1024;
/** Phases of what will not become ready any more. */
const LOST: readonly string[] = ['Failed', 'Cancelled', 'Terminated'];

/** How a step stands that applies a manifest: once it has ended, what becomes of the resource does not matter to it. */
export function awaitResource(circle: Circle, path: string, spec: StepSpec, around: Around): Standing {
  const { facts, view } = circle;
  const entry = facts.entryOf(path);
  if (entry && (entry.phase === 'Succeeded' || entry.phase === 'Failed')) return shown(entry);
  const filled = fill(doingPartOf(spec), around);
  if ('problem' in filled) return hopeless(facts, path, 'TemplateFailed', filled.problem);
  const doing = filled.value as JsonObject;
  const base = facts.baseOf(path);
  if (!entry) return { phase: 'Pending', attempts: base, turn: { type: 'first', attempt: base + 1, doing } };
  const attempts = Math.max(base + 1, attemptsOf(entry));
  const startedAt = timeOf(entry.startedAt) ?? facts.now;
  const attemptAt = timeOf(entry.attemptAt);
  const begun = { attempts, startedAt, ...(attemptAt === undefined ? {} : { attemptAt }) };
  const turn = { type: 'resource', attempt: attempts, isUnderWay: true, notBefore: 0, doing } as const;
  if (circle.isEnding && entry.phase === 'Cancelled') return { phase: 'Running', ...begun, turn };
  const rests = (retryAt: number, message: string): Standing => {
    const next = { ...turn, attempt: attempts + 1, isUnderWay: false, notBefore: retryAt };
    return { phase: 'Running', reason: 'Retrying', message, ...begun, retryAt, turn: next };
  };
  const retryAt = timeOf(entry.retryAt);
  if (retryAt !== undefined) return rests(retryAt, entry.message ?? '');
  const { resource } = spec as { readonly resource: ResourceForm };
  const failed = (reason: string, message: string): Standing => ({ phase: 'Failed', reason, message, ...begun, finishedAt: facts.now });
  const failedOnce = (reason: string, message: string): Standing => {
    const { maxAttempts, restMs } = policyOf(spec.retry, undefined, circle.flow.onFailure?.retry, circle.firstRetryMs);
    const tries = attempts - base;
    return resource.keep || tries >= maxAttempts ? failed(reason, message) : rests(facts.now + restMs(tries), message);
  };
  const wish = childWishOf(view.metadata.name, path, spec, doing, facts.makerOf(path, attempts));
  const problem = childProblemsOf(view).find(({ key, digest }) => key === path && digest === wish.digest);
  if (problem?.reason === 'Refused') return failed(problem.reason, problem.message);
  const child = childOf(view, wish);
  const isOurs = isBrought(view, wish);
  const news = child && newsOf(view, child.id);
  const current = news && isOurs && news.uid === child.uid && news.generation >= (child.generation ?? 0) ? news : undefined;
  if (current) {
    const broken = brokenBy(resource, current);
    if (broken !== undefined) return failedOnce('ResourceFailed', broken);
    const isMet = resource.successCondition === undefined ? isChildReady(view, wish) : isTrue(resource.successCondition, current);
    if (isMet) return taken(spec, resource, current, around, begun, circle);
  }
  const limitMs = msOf(doing.timeout);
  const deadline = limitMs === undefined ? undefined : (attemptAt ?? startedAt) + limitMs;
  const said = problem?.message ?? news?.message;
  if (deadline !== undefined && deadline <= facts.now) return failedOnce('TimedOut', late(spanText(doing.timeout, limitMs), said));
  const isGoing = entry.reason === 'Retrying' && !isOurs && (!problem || problem.reason === 'GoingAway');
  return {
    phase: 'Running',
    ...(isGoing ? { reason: 'Retrying', ...saying(entry.message) } : { reason: problem?.reason ?? 'WaitingForResource', ...saying(said) }),
    ...begun,
    turn,
    ...(deadline === undefined ? {} : { deadline }),
  };
}

/** With what stood in its way, as far as that is known. */
const late = (span: string, said = ''): string =>
  `It was not ready within its timeout of ${span}${said ? `: ${said.replace(/\.$/, '')}` : ''}.`;

const saying = (message: string | undefined): { readonly message?: string } => (message ? { message } : {});

/** What the run wishes of the resource of a step; what the step must know of it, it is told. */
export function childWishOf(run: string, path: string, spec: StepSpec, doing: JsonObject, maker: number): ChildWish {
  const { resource } = spec as { readonly resource: ResourceForm };
  const { manifest } = doing.resource as { readonly manifest: JsonObject };
  const { name = nameOf(run, path), annotations: notes, ...metadata } = (manifest.metadata ?? {}) as JsonObject;
  const tells = told(resource).join(' ');
  const noted = { ...(notes as JsonObject | undefined), ...(tells ? { [annotations.tells]: tells } : {}) };
  const named = { ...metadata, name, ...(Object.keys(noted).length > 0 ? { annotations: noted } : {}) };
  return madeBy(wishOf(path, { ...manifest, metadata: named }), maker);
}

/** `etl-7` and `each[3]` make `etl-7-each-3`. */
const nameOf = (run: string, path: string): string =>
  `${run}-${path}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '')
    .slice(0, 200);

/** Whether what a step made has failed, so that waiting for it again would be in vain. */
export function isBroken(view: Pick<View, 'observed'>, path: string, { resource }: StepSpec): boolean {
  const child = inventoryOf(view).find(({ key }) => key === path);
  const news = child && newsOf(view, child.id);
  return resource !== undefined && news?.uid === child?.uid && news !== undefined && brokenBy(resource, news) !== undefined;
}

/** The values that conditions and outputs speak of. */
function told({ successCondition, failureCondition, outputs }: ResourceForm): readonly string[] {
  const asked = [successCondition, failureCondition].flatMap((text) => (text === undefined ? [] : referencesIn(text)));
  return [...new Set([...asked.map(toldPath), ...Object.values(outputs ?? {})])].sort();
}

function referencesIn(text: string): readonly Reference[] {
  const read = readExpression(text, { roots: OBJECT_ROOTS });
  return 'references' in read ? read.references : [];
}

const objectOf = ({ values = {} }: ChildNews): JsonObject => ({ status: {}, spec: {}, metadata: {}, ...toldTree(values) });

/** What is not told yet is no answer. */
function isTrue(text: string, news: ChildNews): boolean {
  const result = test(text, { values: objectOf(news) });
  return 'value' in result && result.value;
}

function brokenBy({ failureCondition }: ResourceForm, news: ChildNews): string | undefined {
  const isBroken = failureCondition === undefined ? LOST.includes(news.phase) : isTrue(failureCondition, news);
  if (!isBroken) return undefined;
  return `${news.kind} ${news.name} is ${news.phase}: ${news.message || news.reason}`;
}

function taken(
  spec: StepSpec,
  { outputs = {} }: ResourceForm,
  { values = {}, kind, name }: ChildNews,
  around: Around,
  begun: Pick<Standing, 'attempts' | 'startedAt'>,
  { facts }: Circle,
): Standing {
  const ended = { attempts: begun.attempts, startedAt: begun.startedAt ?? facts.now, finishedAt: facts.now };
  const picked = Object.entries(outputs).filter(([, path]) => values[path] !== undefined);
  const said = outputsOf(spec, { kind, name, ...Object.fromEntries(picked.map(([as, path]) => [as, values[path]])) }, around);
  if ('problem' in said) return { phase: 'Failed', reason: 'OutputsFailed', message: said.problem, ...ended };
  if (jsonBytes(said.value) > MAX_TAKEN_BYTES) {
    const message = `Its outputs have more than ${MAX_TAKEN_BYTES} bytes.`;
    return { phase: 'Failed', reason: 'OutputTooLarge', message, ...ended };
  }
  return { phase: 'Succeeded', ...ended, outputs: said.value };
}
