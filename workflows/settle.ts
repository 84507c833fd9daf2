import type { Change, Decision, Mail, Verdict } from '../definitions/core/decision.ts';
import type { ApplyRequest, DeleteRequest, RefusalDetails } from '../definitions/core/messages.ts';
import { controllerOf, whyNotOurs } from '../definitions/core/replayed/adoption.ts';
import { jsonBytes } from '../definitions/core/replayed/bytes.ts';
import { fingerprint } from './fingerprint.ts';
import { bumpVersion, iso, note, type ResourceState } from './state.ts';

/** What a message is answered. */
export type Answer =
  | { readonly value: unknown }
  | { readonly failure: { readonly type: string; readonly message: string; readonly details?: RefusalDetails } };

export interface Settled {
  /** In the order of the mail that was settled. */
  readonly answers: readonly { readonly mail: Mail; readonly answer: Answer }[];
  /** Mail without a verdict, or whose verdict rested on a write that was then refused: to be decided again. */
  readonly again: readonly Mail[];
  /** Every verdict was carried out as decided, so the plan that came with them holds. */
  readonly asDecided: boolean;
}

const REMEMBERED_REQUESTS = 100;
const REMEMBERED_REVISIONS = 10;
const REMEMBERED_SPEC_BYTES = 400 * 1024;
const MAX_ACTOR = 200;

/**
 * Carries out the verdicts on a batch of mail, in order.
 *
 * Synchronous on purpose: an `await` between a check and its write would lose concurrent updates. A verdict assumes that
 * the ones before it were carried out; once one was not, only refusals of the loop's own are final, the rest is decided again.
 */
export function settle(state: ResourceState, batch: readonly Mail[], decision: Decision, now: number): Settled {
  const answers: { mail: Mail; answer: Answer }[] = [];
  let asDecided = true;
  for (const [index, mail] of batch.entries()) {
    const verdict = decision.verdicts[index];
    if (!verdict) return { answers, again: batch.slice(index), asDecided };
    const early = recall(state, mail) ?? objection(state, mail, verdict);
    if (early) {
      if (verdict.verdict === 'write' || verdict.verdict === 'delete') asDecided = false;
      if ('failure' in early) complain(state, mail, early.failure.type, early.failure.message, now);
      answers.push({ mail, answer: early });
      continue;
    }
    if (!asDecided) return { answers, again: batch.slice(index), asDecided };
    answers.push({ mail, answer: carryOut(state, mail, verdict, decision.plan?.leftBehind ?? [], now) });
  }
  return { answers, again: [], asDecided };
}

/** A repeated request gets the answer of the first. */
function recall(state: ResourceState, mail: Mail): Answer | undefined {
  const id = requestIdOf(mail);
  if (id === undefined) return undefined;
  const earlier = state.answered.find(([known]) => known === id);
  return earlier ? { value: earlier[1] } : undefined;
}

/** What speaks against a write although the decider accepts it. */
function objection(state: ResourceState, mail: Mail, verdict: Verdict): Answer | undefined {
  const { meta } = state;
  if (verdict.verdict === 'delete') {
    if (!state.spec) return refusal('NotFound', 'the resource does not exist');
    const { uid } = objectOf(mail.body) as DeleteRequest;
    if (uid !== undefined && uid !== meta.uid) return refusal('Conflict', `expected uid ${uid}, found ${meta.uid}`, state);
    return undefined;
  }
  if (verdict.verdict !== 'write') return undefined;
  if (mail.type !== 'apply') {
    return state.deletion && verdict.change.spec ? refusal('Deleting', 'the resource is being deleted', state) : undefined;
  }
  const { only, metadata } = objectOf(mail.body) as ApplyRequest;
  if (only === 'create' && state.spec) return refusal('AlreadyExists', `${meta.name} already exists`, state);
  if (only === 'update' && !state.spec) return refusal('NotFound', 'the resource does not exist');
  if (only === 'own' && state.spec) {
    const stranger = whyNotOurs(controllerOf(metadata?.ownerReferences ?? []), { kind: state.kind, metadata: meta });
    if (stranger) return refusal('NotOwned', stranger, state);
  }
  const { resourceVersion, uid } = metadata ?? {};
  if (resourceVersion !== undefined && resourceVersion !== (state.spec ? meta.resourceVersion : undefined)) {
    return refusal(
      'Conflict',
      `expected version ${resourceVersion}, found ${state.spec ? meta.resourceVersion : 'no such resource'}`,
      state,
    );
  }
  if (uid !== undefined && uid !== meta.uid) return refusal('Conflict', `expected uid ${uid}, found ${meta.uid}`, state);
  if (state.deletion && !onlyLiftsFinalizers(state, verdict.change)) return refusal('Deleting', 'the resource is being deleted', state);
  return undefined;
}

/** While a resource is going away, the one change still allowed is to take finalizers off. */
function onlyLiftsFinalizers(state: ResourceState, change: Change): boolean {
  if (change.spec || change.labels || change.annotations || change.ownerReferences) return false;
  return (change.finalizers ?? []).every((finalizer) => state.meta.finalizers.includes(finalizer));
}

function carryOut(state: ResourceState, mail: Mail, verdict: Verdict, leftBehind: readonly string[], now: number): Answer {
  switch (verdict.verdict) {
    case 'refuse': {
      complain(state, mail, verdict.type, verdict.message, now);
      return {
        failure: { type: verdict.type, message: verdict.message, ...(verdict.issues ? { details: { issues: verdict.issues } } : {}) },
      };
    }
    case 'ignore':
      note(state, 'Warning', 'UnknownMessage', verdict.message, now);
      return { value: null };
    case 'hint':
      if (verdict.nudge) state.nudge += 1;
      return { value: null };
    case 'delete':
      return remember(state, mail, markDeleted(state, mail, leftBehind, now));
    case 'write':
      return remember(state, mail, write(state, mail, verdict.change, now));
    default:
      return verdict satisfies never;
  }
}

function write(state: ResourceState, mail: Mail, change: Change, now: number): unknown {
  const { meta } = state;
  const isNew = !state.spec;
  const before = meta.resourceVersion;
  if (change.apiVersion) state.apiVersion = change.apiVersion;
  if (change.definition) state.definition = change.definition;
  if (change.labels) meta.labels = change.labels;
  if (change.annotations) meta.annotations = change.annotations;
  if (change.ownerReferences) meta.ownerReferences = change.ownerReferences;
  if (change.finalizers) meta.finalizers = change.finalizers;
  if (change.nudge) state.nudge += 1;
  for (const [about, value] of Object.entries(change.remember ?? {})) {
    const { nudge } = state.observed[about] ?? {};
    const generation = meta.generation + (change.spec ? 1 : 0);
    state.observed[about] = { key: mail.type, generation, ...(nudge === undefined ? {} : { nudge }), at: now, value };
  }
  if (change.spec) {
    state.spec = change.spec;
    meta.generation += 1;
    keepRevision(state, actorOf(mail), now);
    note(state, 'Normal', isNew ? 'Created' : 'Configured', `generation ${meta.generation} accepted`, now);
  }
  const { spec, labels, annotations, ownerReferences, finalizers } = change;
  if (spec || labels || annotations || ownerReferences || finalizers || (change.remember && mail.type !== 'child')) bumpVersion(state, now);
  if (mail.type === 'apply') {
    state.appliedHash = appliedHashOf(mail.body);
    accept(state);
    const operation = isNew ? 'created' : meta.resourceVersion === before ? 'unchanged' : 'configured';
    return { operation, generation: meta.generation, resourceVersion: meta.resourceVersion, uid: meta.uid };
  }
  if (change.spec) delete state.appliedHash;
  if (mail.type === 'readmit' && state.rejectedBy === 'readmit') accept(state);
  const answer = change.answer === undefined ? {} : { answer: change.answer };
  return { generation: meta.generation, resourceVersion: meta.resourceVersion, ...answer };
}

function markDeleted(state: ResourceState, mail: Mail, leftBehind: readonly string[], now: number): unknown {
  const { propagation = 'Background', force = false } = objectOf(mail.body) as DeleteRequest;
  const { meta } = state;
  if (!meta.deletionTimestamp) {
    meta.deletionTimestamp = iso(now);
    bumpVersion(state, now);
    note(state, 'Normal', 'Deleting', `asked for by ${actorOf(mail)}`, now);
  }
  state.deletion = { propagation: state.deletion?.propagation ?? propagation, forced: force || (state.deletion?.forced ?? false) };
  return { deletionTimestamp: meta.deletionTimestamp, uid: meta.uid, ...(force ? { leftBehind } : {}) };
}

/** The last ten specs, fewer when they are large; the one that worked last is not given up for newer ones. */
function keepRevision(state: ResourceState, by: string, now: number): void {
  if (!state.spec) return;
  state.revisions.push({ generation: state.meta.generation, spec: state.spec, at: iso(now), by });
  const size = () => state.revisions.reduce((sum, { spec }) => sum + jsonBytes(spec), 0);
  const forget = () => state.revisions.splice(state.revisions[0]?.generation === state.status?.stableGeneration ? 1 : 0, 1);
  while (state.revisions.length > REMEMBERED_REVISIONS) forget();
  while (state.revisions.length > 2 && size() > REMEMBERED_SPEC_BYTES) forget();
  while (state.revisions.length > 1 && size() > REMEMBERED_SPEC_BYTES) state.revisions.shift();
}

function remember(state: ResourceState, mail: Mail, value: unknown): Answer {
  const id = requestIdOf(mail);
  if (id !== undefined) state.answered = [...state.answered.slice(1 - REMEMBERED_REQUESTS), [id, value]];
  return { value };
}

/** Nobody waits for a signal's answer, so a refusal is said on the resource itself. */
function complain(state: ResourceState, mail: Mail, type: string, message: string, now: number): void {
  if (mail.via === 'update') return;
  note(state, 'Warning', mail.type === 'apply' || mail.type === 'readmit' ? 'SpecRefused' : 'Refused', `${type}: ${message}`, now);
  if ((mail.type !== 'apply' && mail.type !== 'readmit') || type === 'Deleting') return;
  state.rejected = `${type}: ${message}`;
  state.rejectedBy = mail.type;
}

function accept(state: ResourceState): void {
  delete state.rejected;
  delete state.rejectedBy;
}

/** What the validator compares to find an apply that would change nothing. */
export function appliedHashOf(body: unknown): string {
  const { requestId: _id, actor: _actor, only: _only, ...manifest } = objectOf(body);
  return fingerprint(manifest);
}

export function refusal(type: string, message: string, state?: ResourceState): Answer {
  const details = state
    ? { generation: state.meta.generation, resourceVersion: state.meta.resourceVersion, uid: state.meta.uid }
    : undefined;
  return { failure: { type, message, ...(details ? { details } : {}) } };
}

function requestIdOf(mail: Mail): string | undefined {
  const { requestId } = objectOf(mail.body);
  return typeof requestId === 'string' && requestId !== '' ? requestId : undefined;
}

function actorOf(mail: Mail): string {
  const { actor } = objectOf(mail.body);
  return typeof actor === 'string' ? actor.slice(0, MAX_ACTOR) : mail.via;
}

export function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
