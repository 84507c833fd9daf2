import { workflowIdOf } from '../core/identity.ts';
import { HEARTBEAT_MS } from '../core/patience.ts';
import type { Tuning, View } from '../core/plan.ts';
import type { JsonObject } from '../core/resource.ts';
import type { Step, StepTimeouts } from '../core/step.ts';
import type { RuntimeName, Template } from '../core/template.ts';
import { msOf } from '../flows/duration.ts';
import { typeOf } from '../flows/form.ts';
import type { StepSpec } from '../flows/schema.ts';
import { queueOf } from '../replicas/lanes.ts';
import { amountOf, readCpus, readMemory } from '../replicas/quantity.ts';
import { given, sorted } from '../replicas/schema.ts';
import { keyOf, laneOf } from './facts.ts';
import type { WorkflowRunSpec } from './schema.ts';
import { untakenMsOf, waitMsOf } from './untaken.ts';

/** One attempt of one step. */
export interface Attempt {
  readonly path: string;
  readonly spec: StepSpec;
  /** Its form, filled. */
  readonly doing: JsonObject;
  readonly attempt: number;
  readonly again: number;
  /** It was said that nobody takes it: it waits for as long as it takes. */
  readonly isAwaited: boolean;
  /** How often it was done before, and undone. */
  readonly round: number;
  /** Up to this attempt, what was run is no answer any more. */
  readonly heard: number;
}

const HOUR_MS = 3_600_000;
const DEFAULT_LIMIT_MS = 24 * HOUR_MS;
const NO_LIMIT_MS = 365 * 24 * HOUR_MS;
const HTTP_LIMIT_MS = 60_000;
/** Longer than for others: a worker that was only slow has made the call already. */
const HTTP_HEARTBEAT_MS = 15_000;
/** How whatever a step runs is stopped. */
export const STOP = { signal: 'SIGTERM', graceSeconds: 10 } as const;

/** Tried once: whether it is tried again is for the planner to say, under another key. */
export const ONCE: Step['retry'] = { maximumAttempts: 1, initialIntervalMs: 1_000, maximumIntervalMs: 1_000 };

/** The flight of an attempt. Throws for amounts that a template was filled with and that are none. */
export function flightOf(view: View<WorkflowRunSpec>, attempt: Attempt): Step {
  const { path, spec, again } = attempt;
  const { activity, queue, input, timeouts } = bodyOf(view, attempt);
  const tries = `${attempt.attempt > 1 ? `, attempt ${attempt.attempt}` : ''}${again > 0 ? ', again' : ''}`;
  return {
    key: keyOf(path, attempt.attempt, again),
    about: laneOf(path),
    activity,
    ...(queue === undefined ? {} : { queue }),
    reason: 'StepStarted',
    summary: `${path}: ${typeOf(spec)}${tries}`.slice(0, 200),
    input: { ...input, idempotencyKey: idempotencyKeyOf(view, attempt) },
    timeouts: { ...timeouts, ...(spec.heartbeat === undefined ? {} : { heartbeatMs: msOf(spec.heartbeat) ?? HEARTBEAT_MS }) },
    retry: ONCE,
    unbroken: true,
  };
}

/** The same for every try; another one once it was undone: whoever knows the first key has done that, and would do nothing now. */
const idempotencyKeyOf = ({ metadata: { uid } }: View<WorkflowRunSpec>, { path, round }: Attempt): string =>
  `${uid}/${path}${round > 0 ? `/${round + 1}` : ''}`;

interface Body {
  readonly activity: string;
  readonly queue?: string;
  readonly input: JsonObject;
  readonly timeouts: StepTimeouts;
}

function bodyOf(view: View<WorkflowRunSpec>, attempt: Attempt): Body {
  switch (typeOf(attempt.spec)) {
    case 'http':
      return httpOf(attempt);
    case 'run':
      return runOf(view, attempt);
    default:
      return functionOf(view, attempt);
  }
}

function functionOf(
  { metadata, spec: { workflow, params = {} }, tuning }: View<WorkflowRunSpec>,
  { path, doing, attempt, again, isAwaited }: Attempt,
): Body {
  const {
    funcName,
    funcname,
    conditions,
    args = [],
    kwargs = {},
    maxwaittime: _patience,
    maxexectime: _limit,
    maxretries: _tries,
    ...handed
  } = doing.functionSpec as JsonObject;
  const { executorType, executortype } = conditions as JsonObject;
  const untakenMs = untakenMsOf(waitMsOf(doing), { again, isAwaited }, tuning);
  return {
    activity: String(funcName ?? funcname),
    queue: String(executorType ?? executortype),
    input: {
      args,
      kwargs,
      params,
      ...handed,
      conditions,
      ...(workflow === undefined ? {} : { workflow }),
      run: metadata.name,
      step: path,
      namespace: metadata.namespace,
      attempt,
    },
    timeouts: { startToCloseMs: limitOf(doing), ...(untakenMs === undefined ? {} : { scheduleToStartMs: untakenMs }) },
  };
}

/** How long an attempt may take: the step's own time-out, else that of its function (-1 is none), else what its form has. */
export function limitOf({ timeout, functionSpec, http }: JsonObject): number {
  const own = msOf(timeout);
  if (own !== undefined && (own > 0 || !functionSpec)) return own;
  if (http) return HTTP_LIMIT_MS;
  const { maxexectime } = (functionSpec ?? {}) as JsonObject;
  if (maxexectime === undefined) return DEFAULT_LIMIT_MS;
  const seconds = Number(maxexectime);
  return seconds > 0 ? seconds * 1_000 : NO_LIMIT_MS;
}

function httpOf({ doing }: Attempt): Body {
  const { method, url, headers = {}, body, expect } = doing.http as JsonObject;
  const timeoutMs = limitOf(doing);
  const codes = expect === undefined ? undefined : (Array.isArray(expect) ? expect : [expect]).map(Number);
  return {
    activity: 'httpRequest',
    input: { method: method ?? (body === undefined ? 'GET' : 'POST'), url, headers, ...given({ body, expect: codes }), timeoutMs },
    timeouts: { startToCloseMs: timeoutMs + 5_000, heartbeatMs: HTTP_HEARTBEAT_MS },
  };
}

/** Where a container or process of a step runs. */
export const nodeOf = ({ run }: JsonObject, { defaultNode }: Tuning): string => String((run as JsonObject).node ?? defaultNode ?? 'local');

function runOf(view: View<WorkflowRunSpec>, { path, doing, attempt, isAwaited, heard }: Attempt): Body {
  const { metadata, tuning } = view;
  const form = doing.run as JsonObject;
  const node = nodeOf(doing, tuning);
  const resource = workflowIdOf({
    plural: 'workflowruns',
    group: 'automation.colonies.io',
    name: metadata.name,
    ...given({ namespace: metadata.namespace }),
  });
  return {
    activity: 'runInstance',
    queue: queueOf(node),
    input: {
      owner: { uid: metadata.uid, resource, name: metadata.name },
      node,
      path,
      attempt,
      ...(heard > 0 ? { heard } : {}),
      template: templateOf(form),
    },
    timeouts: {
      startToCloseMs: limitOf(doing),
      heartbeatMs: HEARTBEAT_MS,
      ...(isAwaited ? {} : { scheduleToStartMs: tuning.scheduleToStartMs }),
    },
  };
}

/** What runs it: a container if it has an image, else a process. */
export const runtimeOf = ({ runtime, image }: JsonObject): RuntimeName =>
  (runtime ?? (image === undefined ? 'local' : 'docker')) as RuntimeName;

function templateOf(form: JsonObject): Template {
  const { image, command = [], args = [], env, workingDir, resources } = form;
  const words = typeof command === 'string' ? ['sh', '-c', command] : (command as readonly unknown[]).map(String);
  const { cpu, memory } = (resources ?? {}) as { readonly cpu?: string | number; readonly memory?: string | number };
  return {
    runtime: runtimeOf(form),
    ...given({ image: image as string | undefined, workingDir: workingDir as string | undefined }),
    pullPolicy: 'IfNotPresent',
    entrypoint: [],
    command: [...words, ...(args as readonly unknown[]).map(String)],
    env: envOf(env),
    mounts: [],
    ports: [],
    limits: given({
      cpus: cpu === undefined ? undefined : amountOf(readCpus(cpu)),
      memoryBytes: memory === undefined ? undefined : amountOf(readMemory(memory)),
    }),
    capabilities: [],
    privileged: false,
    labels: {},
    probes: {},
    stop: STOP,
  };
}

/** Both spellings; what a template was filled with is written as text. */
function envOf(env: unknown): Record<string, string> {
  const entries = Array.isArray(env) ? env.map(({ name, value }) => [name, value] as const) : Object.entries((env ?? {}) as JsonObject);
  return sorted(
    Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value ?? '')])),
  );
}
