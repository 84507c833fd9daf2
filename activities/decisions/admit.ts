import { annotations, CLEAN_UP } from '../../definitions/core/annotations.ts';
import type { Change, DecideRequest, DefinitionSnapshot, Mail, Verdict } from '../../definitions/core/decision.ts';
import { isSame } from '../../definitions/core/diff.ts';
import type { Identity } from '../../definitions/core/identity.ts';
import { checkWith } from '../../definitions/core/issues/index.ts';
import { apiVersionOf, type CallContext, type Effect, type Issue, type Kind } from '../../definitions/core/kind.ts';
import { checkManifest } from '../../definitions/core/manifest.ts';
import { notedAfter } from '../../definitions/core/noted-after.ts';
import type { Tuning } from '../../definitions/core/plan.ts';
import { quote } from '../../definitions/core/quote.ts';
import type { JsonObject, Manifest } from '../../definitions/core/resource.ts';
import { invalid, isObject } from './refusal.ts';
import { viewOf, type Working } from './working.ts';

/** The kind a resource is admitted under, and what is kept of its definition. */
export interface Admitter {
  readonly kind: Kind;
  readonly definition: DefinitionSnapshot;
}

/** Everything a message that writes is judged by. */
export interface AdmitContext {
  readonly identity: Identity;
  readonly admitter: Admitter;
  readonly request: DecideRequest;
  readonly tuning: Tuning;
}

/** Messages that only the kind itself can judge. */
export const isForKind = ({ type }: Mail): boolean => type === 'apply' || type === 'command' || type === 'readmit';

/** What shall become of a message for the kind, given the resource as the messages before it leave it. */
export function admit(mail: Mail, working: Working, context: AdmitContext): Verdict {
  if (mail.type === 'apply') return admitApply(mail.body, working, context);
  if (mail.type === 'command') return admitCommand(mail, working, context);
  return working.spec ? admitSpec(working.spec, working, context, callOf(mail, context)) : { verdict: 'hint', nudge: false };
}

function admitApply(body: unknown, working: Working, context: AdmitContext): Verdict {
  const { identity, admitter } = context;
  const { kind } = admitter;
  if (!isObject(body)) return invalid([{ path: '', message: 'must be an object: a manifest, or just {"spec": …}' }]);
  const { requestId: _id, actor: _actor, only, ...given } = body;
  const metadata = isObject(given.metadata) ? given.metadata : {};
  const here = { name: identity.name, ...(identity.namespace ? { namespace: identity.namespace } : {}) };
  const filled = {
    ...given,
    apiVersion: given.apiVersion ?? apiVersionOf(kind),
    kind: given.kind ?? kind.names.kind,
    metadata: isObject(given.metadata ?? {}) ? { ...here, ...metadata } : given.metadata,
  };
  const checked = checkManifest(filled);
  if ('issues' in checked) return invalid([...checked.issues, ...specIssues(checked.judgeable, kind)]);
  const misplaced = placeIssues(checked.manifest, identity, kind);
  if (misplaced.length > 0) return invalid([...misplaced, ...specIssues(checked.manifest, kind)]);
  // Said before the kind is asked: it would judge the spec as a change of the one that is there.
  if (only === 'create' && working.spec) return { verdict: 'refuse', type: 'AlreadyExists', message: `${identity.name} already exists` };
  const spec = checked.manifest.spec ?? working.spec ?? {};
  const verdict = admitSpec(spec, working, context, callOf({ body }, context));
  if (verdict.verdict !== 'write') return verdict;
  return { verdict: 'write', change: { ...verdict.change, ...metadataChange(checked.manifest, metadata, working, kind, only === 'own') } };
}

/** The manifest must speak of the resource it was sent to. */
function placeIssues({ apiVersion, kind: kindName, metadata }: Manifest, identity: Identity, kind: Kind): Issue[] {
  const issues: Issue[] = [];
  const expect = (path: string, found: string | undefined, wanted: string | undefined) => {
    if (found !== wanted) issues.push({ path, message: `must be ${wanted ?? 'absent'} here (got ${JSON.stringify(found)})` });
  };
  expect('apiVersion', apiVersion, apiVersionOf(kind));
  expect('kind', kindName, kind.names.kind);
  expect('metadata.name', metadata.name, identity.name);
  if (kind.scope === 'Namespaced') expect('metadata.namespace', metadata.namespace, identity.namespace);
  return issues;
}

/** What is wrong with the spec of a manifest that is refused anyhow, if it is meant for this kind. */
function specIssues(given: Pick<Manifest, 'apiVersion' | 'kind' | 'spec'> | undefined, kind: Kind): readonly Issue[] {
  if (!given?.spec || given.apiVersion !== apiVersionOf(kind) || given.kind !== kind.names.kind) return [];
  const checked = checkWith(kind.spec, given.spec, 'spec');
  return 'issues' in checked ? checked.issues : [];
}

function admitSpec(spec: JsonObject, working: Working, context: AdmitContext, call: CallContext): Verdict {
  const { kind, definition } = context.admitter;
  const checked = checkWith(kind.spec, spec, 'spec');
  if ('issues' in checked) return invalid(checked.issues);
  const view = viewOf(working, context.request, context.tuning);
  const effect: Effect = kind.admit?.(checked.value, view, call) ?? {};
  return verdictOf({ ...effect, spec: effect.spec ?? checked.value }, working, {
    ...(isSame(working.definition, definition) ? {} : { definition }),
    ...(working.apiVersion === apiVersionOf(kind) ? {} : { apiVersion: apiVersionOf(kind) }),
    ...(kind.hasCleanUp && !working.metadata.finalizers.includes(CLEAN_UP) && !working.deleting
      ? { finalizers: [...working.metadata.finalizers, CLEAN_UP] }
      : {}),
  });
}

/** Given sets replace the stored ones whole; sets that are not given stay. */
function metadataChange(manifest: Manifest, given: JsonObject, working: Working, kind: Kind, byOwner: boolean): Change {
  const { metadata } = manifest;
  const stored = working.metadata;
  const own = kind.hasCleanUp && (!working.deleting || stored.finalizers.includes(CLEAN_UP)) ? [CLEAN_UP] : [];
  const finalizers = [...(metadata.finalizers ?? []).filter((finalizer) => finalizer !== CLEAN_UP), ...own];
  const isNew = <T>(key: string, next: T | undefined, old: T): next is T =>
    given[key] !== undefined && next !== undefined && !isSame(next, old);
  const reconcile = metadata.annotations?.[annotations.reconcile];
  const noted = notedAfter(metadata, stored, byOwner);
  return {
    ...(isNew('labels', metadata.labels, stored.labels) ? { labels: metadata.labels } : {}),
    ...(isSame(noted, stored.annotations) ? {} : { annotations: noted }),
    ...(isNew('ownerReferences', metadata.ownerReferences, stored.ownerReferences) ? { ownerReferences: metadata.ownerReferences } : {}),
    ...(isNew('finalizers', finalizers, stored.finalizers) ? { finalizers } : {}),
    ...(reconcile !== undefined && reconcile !== stored.annotations[annotations.reconcile] ? { nudge: true } : {}),
  };
}

function admitCommand(mail: Mail, working: Working, context: AdmitContext): Verdict {
  const { name, args } = isObject(mail.body) ? mail.body : {};
  const { kind } = context.admitter;
  const view = viewOf(working, context.request, context.tuning);
  if (!view) return { verdict: 'refuse', type: 'NotFound', message: 'the resource does not exist' };
  if (args !== undefined && !isObject(args)) return invalid([{ path: 'args', message: 'must be an object' }]);
  if (name === 'rollback') return admitRollback(args ?? {}, working, context, callOf(mail, context));
  const command = typeof name === 'string' && Object.hasOwn(kind.commands ?? {}, name) ? kind.commands?.[name] : undefined;
  if (!command) {
    const known = ['rollback', ...Object.keys(kind.commands ?? {})].join(', ');
    return { verdict: 'refuse', type: 'UnknownCommand', message: `${kind.names.kind} has no command ${quote(name)}; it has: ${known}` };
  }
  const { revisions = [] } = context.request;
  const effect = command(view, args ?? {}, { ...callOf(mail, context), revisions });
  if (!effect.spec) return verdictOf(effect, working, {});
  const checked = checkWith(kind.spec, effect.spec, 'spec');
  return 'issues' in checked ? invalid(checked.issues) : verdictOf({ ...effect, spec: checked.value }, working, {});
}

/** Back to an earlier spec: the one before the current, or the generation asked for. */
function admitRollback(args: JsonObject, working: Working, context: AdmitContext, call: CallContext): Verdict {
  const revisions = context.request.revisions ?? [];
  const wanted = args.to === undefined ? undefined : Number(args.to);
  const target =
    wanted === undefined
      ? revisions.findLast(({ spec }) => !isSame(spec, working.spec))
      : revisions.find(({ generation }) => generation === wanted);
  if (!target) {
    const kept = revisions.map(({ generation }) => generation).join(', ') || 'none';
    return invalid([{ path: 'args.to', message: `no such revision is kept; kept generations: ${kept}` }]);
  }
  const verdict = admitSpec(target.spec, working, context, call);
  return verdict.verdict === 'write'
    ? { verdict: 'write', change: { ...verdict.change, answer: { rolledBackTo: target.generation } } }
    : verdict;
}

function verdictOf(effect: Effect, working: Working, more: Change): Verdict {
  if (effect.issues && effect.issues.length > 0) return invalid(effect.issues);
  if (effect.refuse) return { verdict: 'refuse', ...effect.refuse };
  return {
    verdict: 'write',
    change: {
      ...more,
      ...(effect.spec && !isSame(effect.spec, working.spec) ? { spec: effect.spec } : {}),
      ...(effect.remember ? { remember: effect.remember } : {}),
      ...(effect.answer === undefined ? {} : { answer: effect.answer }),
    },
  };
}

function callOf(mail: Pick<Mail, 'body'>, { request, identity }: AdmitContext): CallContext {
  const actor = isObject(mail.body) ? mail.body.actor : undefined;
  return { actor: typeof actor === 'string' ? actor.slice(0, 200) : 'unknown', now: request.now, name: identity.name };
}
