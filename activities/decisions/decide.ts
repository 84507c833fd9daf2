import type { DecideRequest, Decision, Mail, PlanAnswer, RolloverLimits, Verdict } from '../../definitions/core/decision.ts';
import { type Identity, identityOf } from '../../definitions/core/identity.ts';
import { jsonBytes } from '../../definitions/core/json.ts';
import type { Issue } from '../../definitions/core/kind.ts';
import { limits } from '../../definitions/core/limits.ts';
import type { Tuning, View } from '../../definitions/core/plan.ts';
import { planHandled } from '../../definitions/handled/plan.ts';
import { findBuiltIn } from '../../definitions/kinds.ts';
import { type Admitter, admit, isForKind } from './admit.ts';
import type { FindKind, KindQuestion } from './find-kind.ts';
import { admitNews } from './news.ts';
import { outlook, planFailed } from './outlook.ts';
import { invalid, isObject } from './refusal.ts';
import { after, viewOf, type Working, workingOf } from './working.ts';

export interface DecideOptions {
  readonly findKind: FindKind;
  readonly tuning: Tuning;
  readonly rollover: RolloverLimits;
}

/**
 * Decides what becomes of the mail and what should be under way afterwards.
 *
 * Runs as a local activity: the answer stands in the history and is never computed again, so a kind's code may change on
 * any day. Guarantees: pure but for looking up the definition; never throws for anything a person or a kind can cause.
 */
export function createDecide({ findKind, tuning, rollover }: DecideOptions): (request: DecideRequest) => Promise<Decision> {
  return async (request) => {
    const { verdicts, working } = await judgeAll(request, findKind, tuning);
    const view = viewOf(working, request, tuning);
    return view ? { verdicts, plan: planOf(view, working, request, rollover) } : { verdicts };
  };
}

/** A definition that is remembered may be a moment old: nobody is refused by it before it was read again. */
async function judgeAll(request: DecideRequest, findKind: FindKind, tuning: Tuning): Promise<Judged> {
  const remembered = await admitterFor(request, findKind, false);
  const judged = verdictsOn(request, remembered, tuning);
  const isRefused = judged.verdicts.some((verdict) => verdict.verdict === 'refuse' && verdict.type === 'Invalid');
  if (!isRefused || 'refuse' in remembered || remembered.admitter.definition.uid === undefined) return judged;
  const read = await admitterFor(request, findKind, true);
  const isSame = 'admitter' in read && read.admitter === remembered.admitter;
  return isSame ? judged : verdictsOn(request, read, tuning);
}

async function admitterFor(request: DecideRequest, findKind: FindKind, anew: boolean): Promise<Found> {
  const first = request.mail.find(isForKind);
  if (!first) return { refuse: { verdict: 'refuse', type: 'NotFound', message: 'no message asked for a kind' } };
  const identity = identityOf(request.workflowId);
  if (!identity) {
    const shape = 'the workflow id must be <plural>.<group>/<namespace>/<name>, with "-" as the namespace of cluster-scoped kinds';
    return { refuse: invalid([{ path: 'metadata.name', message: `${shape} (got ${JSON.stringify(request.workflowId.slice(0, 300))})` }]) };
  }
  const given = first.type === 'apply' && isObject(first.body) ? first.body.apiVersion : undefined;
  const readmit = request.mail.findLast(({ type }) => type === 'readmit');
  const found = await findKind({
    identity,
    workflowType: request.workflowType,
    apiVersion: typeof given === 'string' ? given : request.apiVersion,
    atLeast: readmit?.body as KindQuestion['atLeast'],
    anew,
  });
  if ('unknown' in found) return { refuse: invalid([{ path: 'kind', message: found.unknown }]) };
  const { scope } = found.kind;
  if ((scope === 'Cluster') === (identity.namespace === undefined)) return { identity, admitter: found };
  const isCluster = scope === 'Cluster';
  const message = isCluster
    ? 'the kind is cluster-scoped: the namespace in the workflow id must be "-"'
    : 'the kind needs a namespace in the workflow id';
  return { refuse: invalid([{ path: 'metadata.namespace', message }]) };
}

type Found = { readonly identity: Identity; readonly admitter: Admitter } | { readonly refuse: Verdict };

interface Judged {
  readonly verdicts: readonly Verdict[];
  readonly working: Working;
}

function verdictsOn(request: DecideRequest, found: Found, tuning: Tuning): Judged {
  let working = workingOf(request);
  const verdicts: Verdict[] = [];
  let bytes = 0;
  for (const mail of request.mail) {
    // Small mail can become large writes by its defaults; what would be too much for one answer is asked again.
    if (bytes > limits.decisionBytes / 2) break;
    const verdict = judge(mail, working, request, found, tuning);
    working = after(working, mail, verdict, request.now);
    bytes += jsonBytes(verdict);
    verdicts.push(verdict);
  }
  return { verdicts, working };
}

/** A kind whose own code throws refuses the message; it does not stop the resource. */
function judge(mail: Mail, working: Working, request: DecideRequest, found: Found, tuning: Tuning): Verdict {
  if (mail.unfit) return { verdict: 'refuse', ...mail.unfit };
  const issues = requestIssues(mail.body);
  if (issues.length > 0) return invalid(issues);
  try {
    if (!isForKind(mail)) return admitNews(mail, working, request.workflowType);
    return 'refuse' in found ? found.refuse : admit(mail, working, { ...found, request, tuning });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { verdict: 'refuse', type: 'Invalid', message: `the kind could not judge this: ${message}`.slice(0, limits.messageChars) };
  }
}

/** Request ids are remembered and carried from run to run. */
function requestIssues(body: unknown): readonly Issue[] {
  const id = isObject(body) ? body.requestId : undefined;
  if (id === undefined || (typeof id === 'string' && id.length <= limits.requestIdChars)) return [];
  return [{ path: 'requestId', message: `must be a text of at most ${limits.requestIdChars} characters` }];
}

/** Plans with the definition in force, which may be older than the one that is registered now. */
function planOf(
  view: View,
  { definition, rejected }: Working,
  { workflowId: id, told }: DecideRequest,
  rollover: RolloverLimits,
): PlanAnswer {
  try {
    const builtIn = findBuiltIn(view.apiVersion, view.kind);
    const plan = builtIn ? builtIn.plan(view) : planHandled(definition?.handler, view);
    const answer = outlook(plan, view, { id, rejected, told }, rollover);
    const size = jsonBytes(answer);
    if (size > limits.decisionBytes || plan.steps.length > limits.steps) {
      throw new Error(`its plan is too large (${plan.steps.length} steps, ${size} bytes)`);
    }
    return answer;
  } catch (error) {
    return planFailed(view, error, rollover);
  }
}
