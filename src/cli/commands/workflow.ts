import type { JsonObject } from '../../../definitions/core/resource.ts';
import type { RunPhase } from '../../../definitions/workflow-run/schema.ts';
import type { Context } from '../context.ts';
import { type FlowKind, type Found, findFlow, stepIn, waitingStepOf } from '../flows/find.ts';
import { type ShowRun, showRun } from '../flows/show-run.ts';
import { parseDuration } from '../input/duration.ts';
import { parsePairs } from '../input/pairs.ts';
import { yesNo } from '../input/yes-no.ts';
import { type Format, parseFormat } from '../output/format.ts';
import { printDone } from '../output/print-done.ts';
import { isRefusal } from '../report.ts';
import { UsageError } from '../usage-error.ts';

interface ControlOptions {
  readonly verb: keyof typeof VERBS;
  readonly value?: readonly string[];
  readonly reject?: boolean;
  readonly message?: string;
  readonly wait?: boolean | string;
  readonly timeout?: string;
}

/** A word to a flow: the kind's own command, and how it is said to be done. */
interface Word {
  readonly command: string;
  readonly args?: JsonObject;
  readonly done: string;
  /** How a run ends that follows the word; Succeeded, if left out. */
  readonly wished?: RunPhase;
}

interface Verb {
  /** Where a bare name is looked for. */
  readonly kinds: readonly FlowKind[];
  readonly word: (found: Found, step: string | undefined, options: ControlOptions) => Word;
}

const RUN: readonly FlowKind[] = ['WorkflowRun'];

const VERBS = {
  approve: { kinds: RUN, word: answer },
  retry: { kinds: RUN, word: () => ({ command: 'retry', done: 'begins again where it failed' }) },
  skip: {
    kinds: RUN,
    word: ({ resource }, step = '') => ({ command: 'skip', args: { step: stepIn(resource, step) }, done: `skips ${step}` }),
  },
  pause: { kinds: ['WorkflowRun', 'Workflow'], word: ({ resource: { kind } }) => ({ command: 'pause', done: PAUSED[kind] ?? 'paused' }) },
  resume: { kinds: ['WorkflowRun', 'Workflow'], word: () => ({ command: 'resume', done: 'resumed' }) },
  cancel: { kinds: RUN, word: () => ({ command: 'cancel', done: 'is being cancelled', wished: 'Cancelled' }) },
  terminate: { kinds: RUN, word: () => ({ command: 'terminate', done: 'terminated: nothing was cleaned up' }) },
} as const satisfies Record<string, Verb>;

const PAUSED: Readonly<Record<string, string>> = {
  Workflow: 'paused: its schedule starts nothing',
  WorkflowRun: 'paused: no step starts, what runs goes on to its end',
};

/** A word to a run, or to a Workflow; `follow` says nothing and only looks. */
export async function run(context: Context, [name = '', step]: readonly string[], options: ControlOptions): Promise<number> {
  const format = parseFormat(context.globals.output, ['table', 'json', 'yaml', 'name']);
  const { kinds, word }: Verb = VERBS[options.verb];
  const found = await findFlow(context, name, kinds);
  const { command, args = {}, done, wished } = word(found, step, options);
  const { resourceVersion } = await found.resources
    .command(found.ref, command, args)
    .catch((error: unknown) => Promise.reject(explained(error, found)));
  if (yesNo(options.wait, '--wait', false))
    return show(context, found, format, options, { since: command === 'retry' ? resourceVersion : undefined, wished });
  await printDone(context, found, format, done);
  return 0;
}

/** What does not fit to how the run is will not fit at a second try either. */
function explained(error: unknown, { ref }: Found): unknown {
  return isRefusal(error, 'Conflict') ? Object.assign(error as Error, { hint: `See: colony workflow graph ${ref.name}` }) : error;
}

function answer({ resource }: Found, step: string | undefined, { value, reject, message }: ControlOptions): Word {
  const path = step === undefined ? waitingStepOf(resource) : stepIn(resource, step);
  const said = message === undefined ? {} : { message };
  if (!reject) return { command: 'approve', args: { step: path, values: parsePairs(value, '--value'), ...said }, done: `${path} approved` };
  if (value) throw new UsageError('--value goes with an approval, not with --reject');
  return { command: 'reject', args: { step: path, ...said }, done: `${path} rejected` };
}

/** Follows a run that may have been begun by anybody. */
export async function follow(context: Context, [name = '']: readonly string[], options: ControlOptions): Promise<number> {
  const format = parseFormat(context.globals.output, ['table', 'json', 'yaml', 'name']);
  return show(context, await findFlow(context, name, RUN), format, options);
}

function show(context: Context, found: Found, format: Format, { timeout }: ControlOptions, more: ShowRun = {}): Promise<number> {
  return showRun(context, found, format, {
    ...more,
    known: found.resource,
    timeoutMs: timeout === undefined ? undefined : parseDuration(timeout, '--timeout'),
  });
}
