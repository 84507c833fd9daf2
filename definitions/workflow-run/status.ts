import { jsonBytes } from '../core/json.ts';
import { shorten } from '../core/quote.ts';
import type { ConditionClaim, JsonObject } from '../core/resource.ts';
import { durationText } from '../flows/duration.ts';
import { hasEnded, isEnd, type Node, withInner } from './node.ts';
import { FOR_TIME } from './reasons.ts';
import type { Run } from './run.ts';
import type { Ending, Notification, RunPhase, StepPhase, StepStatus, WorkflowRunStatus } from './schema.ts';
import { fill } from './scope.ts';
import type { Begun } from './start.ts';

/** What a run looks like after a pass. */
export interface Picture {
  /** All that is shown, with what undoes and what is done at the end. */
  readonly nodes: readonly Node[];
  /** The steps themselves, where others are shown as well. */
  readonly main?: readonly Node[];
  readonly phase: RunPhase;
  readonly reason: string;
  readonly message: string;
  readonly isFinal: boolean;
  readonly ending?: Ending;
  /** What came of telling those who want to know. */
  readonly notifications?: readonly Notification[];
}

type BegunNow = ReadonlyMap<string, Begun>;

/** Longer loops are shown as counts. */
const MAX_ITERATIONS_SHOWN = 50;
/** From so many entries on, those that have ended well are shown with less. */
const MANY = 150;
const VERY_MANY = 400;
const MAX_OUTPUT_BYTES = 4 * 1024;
const MAX_OUTPUTS_BYTES = 48 * 1024;
const MAX_MESSAGES_CHARS = 20_000;
const MAX_MESSAGE_CHARS = 400;
const MAX_TEXT_CHARS = 1_024;
/** The rest of the status has room beside this. */
const MAX_STEPS_BYTES = 100 * 1024;

/** The status of a run; everything in it is bounded, and what was left out is said. */
export function statusOf(run: Run, picture: Picture, begun: BegunNow): JsonObject {
  const { view, retries } = run;
  const { nodes, main = nodes, phase, isFinal, ending, message, notifications = [] } = picture;
  const leaves = leavesOf(main);
  const isGood = ({ phase: one }: Node) => one === 'Succeeded' || one === 'Skipped';
  const wanted = phase === 'Succeeded' ? leaves.filter(({ phase: one }) => one !== 'Omitted') : leaves;
  const [completedSteps, totalSteps] = [wanted.filter(isGood).length, wanted.length];
  const startedAt = (view.status?.startedAt as string | undefined) ?? (begun.size > 0 || isFinal ? iso(view.now) : undefined);
  const outputs = phase === 'Succeeded' && view.spec.outputs ? outputsOf(run, main) : undefined;
  const { steps, cut } = entriesOf(nodes, begun, view.now);
  const status: WorkflowRunStatus = {
    progress: `${completedSteps}/${totalSteps}`,
    completedSteps,
    totalSteps,
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(isFinal ? { finishedAt: iso(view.now), duration: durationText(view.now - Date.parse(startedAt ?? iso(view.now))) } : {}),
    ...(message ? { message: shorten(message, 500) } : {}),
    steps,
    ...(cut > 0 ? { stepsCut: cut } : {}),
    ...(outputs === undefined ? {} : { outputs }),
    ...(ending === undefined ? {} : { ending }),
    ...(notifications.length > 0 ? { notifications } : {}),
    ...(retries > 0 ? { retries } : {}),
  };
  return status as unknown as JsonObject;
}

/** What counts as a step: what does something itself. A loop that has not begun counts once. */
const leavesOf = (nodes: readonly Node[]): Node[] => withInner(nodes).filter(({ children }) => !children);

function outputsOf({ view, around }: Run, main: readonly Node[]): JsonObject {
  const byName = new Map(main.map((node) => [node.name, node]));
  const filled = fill(view.spec.outputs, { ...around, find: (name) => byName.get(name) });
  return 'problem' in filled ? { '…': filled.problem } : capped(filled.value as JsonObject, 4 * MAX_OUTPUT_BYTES);
}

/** By path; long loops are folded, of very many steps less is shown, and what still does not fit is left out. */
export function entriesOf(
  nodes: readonly Node[],
  begun: BegunNow,
  now: number,
): { readonly steps: Record<string, StepStatus>; readonly cut: number } {
  const shown = visible(nodes, begun);
  const isVast = shown.length > VERY_MANY;
  const room = { outputs: isVast ? MAX_OUTPUTS_BYTES / 2 : MAX_OUTPUTS_BYTES, chars: isVast ? MAX_MESSAGES_CHARS / 2 : MAX_MESSAGES_CHARS };
  const entries = shown.map((node) => [node, entryOf(node, begun.get(node.path), now, shown.length, room)] as const);
  const fitting = shown.length > MANY ? fit(entries) : entries;
  return { steps: Object.fromEntries(fitting.map(([{ path }, entry]) => [path, entry])), cut: entries.length - fitting.length };
}

type Entries = readonly (readonly [Node, StepStatus])[];

/** What the lanes know as well goes first: outputs and messages, then the steps that have ended. */
function fit(entries: Entries): Entries {
  const bytesOf = (list: Entries) => list.reduce((sum, [{ path }, entry]) => sum + path.length + 4 + jsonBytes(entry), 0);
  if (bytesOf(entries) <= MAX_STEPS_BYTES) return entries;
  const bare: Entries = entries.map(([node, entry]) => {
    const { outputs: _outputs, message: _message, ...rest } = entry;
    return [node, isPlain(node) ? rest : entry];
  });
  if (bytesOf(bare) <= MAX_STEPS_BYTES) return bare;
  return bare.filter(([node, { phase }]) => !(isPlain(node) && isEnd(phase)));
}

function visible(nodes: readonly Node[], begun: BegunNow): Node[] {
  return nodes.flatMap((node) => {
    if (!node.children) return [node];
    if (node.type !== 'loop' || node.children.length <= MAX_ITERATIONS_SHOWN) return [node, ...visible(node.children, begun)];
    return [node, ...withInner(node.children).filter((inner) => isTold(inner, begun))];
  });
}

/** Of long loops: what has not ended well, and what only the status remembers: of what was cancelled, that it had begun. */
function isTold({ path, phase, spec }: Node, begun: BegunNow): boolean {
  const is = begun.get(path)?.phase ?? phase;
  return TOLD.includes(is) || begun.has(path) || isRemembered(spec);
}

const TOLD: readonly StepPhase[] = ['Running', 'Suspended', 'Failed', 'Cancelled'];

const isRemembered = ({ resource, suspend }: Node['spec']): boolean => resource !== undefined || suspend !== undefined;

interface Room {
  outputs: number;
  chars: number;
}

function entryOf(node: Node, begun: Begun | undefined, now: number, count: number, room: Room): StepStatus {
  const phase = begun?.phase ?? node.phase;
  const attempts = begun?.attempts ?? node.attempts;
  const startedAt = node.startedAt ?? (begun && phase !== 'Failed' ? now : undefined);
  const isDone = isPlain(node) && isEnd(phase);
  const isShort = isDone && count > MANY;
  const isShortest = isDone && count > VERY_MANY;
  const reason = begun ? begun.reason : node.reason;
  return {
    phase,
    ...(reason === undefined || (isShortest && phase !== 'Failed') ? {} : { reason }),
    ...(isShortest && phase !== 'Failed' ? {} : said(begun ? begun.message : node.message, room)),
    ...(startedAt === undefined || isShort ? {} : { startedAt: iso(startedAt) }),
    ...(node.finishedAt === undefined || !isEnd(phase) || isShortest ? {} : { finishedAt: iso(node.finishedAt) }),
    ...(attempts === 0 || (isShort && attempts === 1) ? {} : { attempts }),
    ...(isEnd(phase) ? {} : timesOf(begun ?? node)),
    ...told(node, room),
    ...(node.type === 'loop' && node.children ? { iterations: iterationsOf(node.children) } : {}),
  };
}

const timesOf = ({ attemptAt, retryAt }: Pick<Node, 'attemptAt' | 'retryAt'>): Pick<StepStatus, 'attemptAt' | 'retryAt'> => ({
  ...(attemptAt === undefined ? {} : { attemptAt: iso(attemptAt) }),
  ...(retryAt === undefined ? {} : { retryAt: iso(retryAt) }),
});

/** Known from its lane as well as from the status, and not needed there by a retry. */
const isPlain = ({ path, spec, children }: Node): boolean => !isRemembered(spec) && !children && !/^(exit|undo)\./.test(path);

function said(message: string | undefined, room: Room): Pick<StepStatus, 'message'> {
  if (!message) return {};
  if (room.chars <= 0) return {};
  const text = shorten(message, MAX_MESSAGE_CHARS);
  room.chars -= text.length;
  return { message: text };
}

/** Outputs of loops are those of their iterations; what later steps use is kept elsewhere, whole. */
function told({ outputs, type, spec, phase }: Node, room: Room): Pick<StepStatus, 'outputs'> {
  if (!outputs || phase !== 'Succeeded' || type === 'loop' || Object.keys(outputs).length === 0) return {};
  if (spec.resource) return { outputs };
  const shown = capped(outputs, Math.min(MAX_OUTPUT_BYTES, room.outputs));
  room.outputs -= jsonBytes(shown);
  return { outputs: shown };
}

function capped(outputs: JsonObject, most: number): JsonObject {
  const bytes = jsonBytes(outputs);
  if (bytes <= Math.min(most, MAX_TEXT_CHARS)) return outputs;
  const short = Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => [name, typeof value === 'string' ? shorten(value, MAX_TEXT_CHARS) : value]),
  );
  return jsonBytes(short) <= most ? short : { '…': `too large to be shown (${bytes} bytes)` };
}

function iterationsOf(children: readonly Node[]): StepStatus['iterations'] {
  const count = (...phases: StepPhase[]) => children.filter(({ phase }) => phases.includes(phase)).length;
  const [running, skipped, failed] = [count('Running', 'Suspended'), count('Skipped', 'Omitted', 'Cancelled'), count('Failed')];
  const failedIndices = children.flatMap(({ phase }, index) => (phase === 'Failed' ? [index] : [])).slice(0, MAX_ITERATIONS_SHOWN);
  return {
    total: children.length,
    succeeded: count('Succeeded'),
    ...(running > 0 ? { running } : {}),
    ...(skipped > 0 ? { skipped } : {}),
    ...(failed > 0 ? { failed, failedIndices } : {}),
  };
}

/** Conditions of a run; no times, the same state gives the same text. */
export function conditionsOf({ nodes, phase, reason, message, isFinal }: Picture, begun: BegunNow): ConditionClaim[] {
  const leaves = leavesOf(nodes).filter((node) => !hasEnded(node));
  const waiting = suspendedOf(nodes, begun);
  const texts = waiting.map(({ path, isAsking, message: asked }) => (isAsking ? `${path}: ${asked}` : `${path} goes on by itself.`));
  const suspended = texts.length > 0 ? texts.slice(0, 5).join(' ') : phase === 'Paused' ? message : '';
  const stuck = STUCK.flatMap((type) => {
    const found = leaves.filter((node) => node.reason === type && node.phase === 'Pending');
    const text = found.slice(0, 5).map((node) => `${node.path}: ${node.message}`);
    return found.length > 0
      ? [{ type, status: 'True' as const, reason: type, message: `${text.join('; ')}. It goes on by itself when one comes.` }]
      : [];
  });
  return [
    { type: 'Ready', status: readyStatus(phase, isFinal), reason, message },
    {
      type: 'Completed',
      status: isFinal ? 'True' : 'False',
      reason: isFinal ? phase : 'NotFinished',
      message: isFinal ? message : 'The run has not ended.',
    },
    suspended
      ? { type: 'Suspended', status: 'True', reason: waiting.length > 0 ? waitingReason(waiting) : 'Paused', message: suspended }
      : { type: 'Suspended', status: 'False', reason: 'NotSuspended', message: 'Nobody is waited for.' },
    ...stuck,
  ];
}

/** A step that waits for somebody's word, or for time to pass. */
export interface Waiting {
  readonly path: string;
  readonly message: string;
  readonly isAsking: boolean;
}

/** All that wait, also what begins to in this pass. */
export function suspendedOf(nodes: readonly Node[], begun: BegunNow): readonly Waiting[] {
  return leavesOf(nodes).flatMap((node) => {
    const { phase, reason, message = '' } = begun.get(node.path) ?? node;
    return phase === 'Suspended' ? [{ path: node.path, message, isAsking: reason !== FOR_TIME }] : [];
  });
}

const waitingReason = (waiting: readonly Waiting[]): string => (waiting.some(({ isAsking }) => isAsking) ? 'WaitingForApproval' : FOR_TIME);

const STUCK = ['ExecutorUnavailable', 'FunctionUnknown'] as const;
export const OWN_CONDITIONS: readonly string[] = ['Ready', 'Completed', 'Suspended', ...STUCK];

function readyStatus(phase: RunPhase, isFinal: boolean): ConditionClaim['status'] {
  if (!isFinal) return 'Unknown';
  return phase === 'Succeeded' ? 'True' : 'False';
}

const iso = (ms: number): string => new Date(ms).toISOString();
