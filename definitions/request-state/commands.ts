import { z } from 'zod';
import { checkWith } from '../core/issues/index.ts';
import type { CallContext, Command, Effect } from '../core/kind.ts';
import type { View } from '../core/plan.ts';
import { FLOW, type Flow, flowOf, isLive, moved, recorded, transitionIssues } from './flow.ts';
import { type RequestStateSpec, requestStates } from './schema.ts';

const DEFAULT_LEASE_S = 30;
/** How long a claim may last without a sign of life. */
export const MAX_LEASE_S = 86_400;
export const MAX_WORKER_CHARS = 200;
const claimArgs = z.strictObject({
  worker: z.string().min(1).max(MAX_WORKER_CHARS),
  /** The one that the worker means: refused when the request has moved on to another since it looked. */
  job: z.string().min(1).max(253).optional(),
  leaseSeconds: z.number().positive().max(MAX_LEASE_S).default(DEFAULT_LEASE_S),
});
const moveArgs = z.strictObject({
  state: z.enum(requestStates),
  job: z.string().min(1).max(253).optional(),
  /** Given by a worker that holds a claim: refused when the claim is no longer its own. */
  worker: z.string().min(1).max(MAX_WORKER_CHARS).optional(),
});

/** Takes the job for one worker: exactly one wins; a lost worker's claim lapses and the next may take over. */
const claim: Command<RequestStateSpec> = (view, args, context) => {
  const checked = checkWith(claimArgs, args, 'args');
  if ('issues' in checked) return checked;
  const { worker, leaseSeconds, job: wanted } = checked.value;
  const flow = flowOf(view);
  const { state, job } = view.spec;
  if (wanted !== undefined && wanted !== job) return refuse(`the request is at ${job}, not at ${wanted}`);
  if (state !== 'REQUESTED' && state !== 'STARTED') {
    return refuse(`${job} is ${state}: only REQUESTED or abandoned STARTED jobs can be claimed`);
  }
  const isHeld = state === 'STARTED' && isLive(flow.claim, context.now);
  if (isHeld && flow.claim?.worker !== worker) return refuse(`${job} is claimed by ${flow.claim?.worker}`);
  const until = context.now + leaseSeconds * 1000;
  const taken: Flow = { ...flow, claim: { worker, until } };
  const answer = (attempt: number) => ({ worker, job, attempt, expiresAt: new Date(until).toISOString() });
  if (isHeld) return { remember: { [FLOW]: taken }, answer: answer(flow.attempt) };
  const spec: RequestStateSpec = { ...view.spec, state: 'STARTED' };
  const attempt = flow.attempt + (state === 'STARTED' ? 1 : 0);
  return { spec, remember: { [FLOW]: recorded({ ...taken, attempt }, spec, worker, context.now) }, answer: answer(attempt) };
};

/** Moves the request to another state, with the same rules as an apply. */
const move: Command<RequestStateSpec> = (view, args, context) => {
  const checked = checkWith(moveArgs, args, 'args');
  if ('issues' in checked) return checked;
  const { state, job = view.spec.job, worker } = checked.value;
  const flow = flowOf(view);
  if (worker !== undefined && !isHolder(flow, worker, context)) return refuse(`the claim of ${worker} on ${view.spec.job} has lapsed`);
  return change(view, { ...view.spec, state, job }, worker ?? context.actor, context);
};

export const commands: Readonly<Record<string, Command<RequestStateSpec>>> = { claim, move };

/** Whatever way a new spec comes: checked, and on the record. */
export function change(
  view: View<RequestStateSpec> | undefined,
  to: RequestStateSpec,
  actor: string,
  context: CallContext,
): Effect<RequestStateSpec> {
  const issues = view ? transitionIssues(view.spec, to) : [];
  if (issues.length > 0) return { issues };
  if (view && view.spec.job === to.job && view.spec.state === to.state) return { spec: to };
  return { spec: to, remember: { [FLOW]: moved(flowOf(view), view?.spec, to, actor, context.now) } };
}

const isHolder = (flow: Flow, worker: string, { now }: CallContext): boolean => isLive(flow.claim, now) && flow.claim.worker === worker;

const refuse = (message: string): Effect<RequestStateSpec> => ({ refuse: { type: 'Conflict', message } });
