import { escapeLine, escapeText } from './escape.ts';
import type { Io } from './io.ts';
import { UsageError } from './usage-error.ts';

export const EXIT_ERROR = 1;
export const EXIT_USAGE = 2;
/** What shells expect of a command that Ctrl-C ended. */
export const EXIT_INTERRUPTED = 130;

/** What the client's errors carry; known by shape, so that reporting one does not load the client. */
interface Told {
  readonly message: string;
  readonly code?: unknown;
  readonly hint?: unknown;
  readonly issues?: unknown;
  readonly known?: unknown;
}

interface Issue {
  readonly path: string;
  readonly message: string;
}

export interface Circumstances {
  readonly verbose?: boolean;
  /** File and document that were being worked on. */
  readonly at?: string;
  /** The line on which a path stands. */
  readonly lineOf?: (path: string) => number | undefined;
}

/** Says what went wrong in one sentence, then what to do; a stack only when asked for. Answers with the exit code. */
export function report(
  io: Pick<Io, 'err'>,
  error: unknown,
  { verbose = false, at = '', lineOf = () => undefined }: Circumstances = {},
): number {
  const told = toldBy(error);
  io.err(`error: ${at ? `${escapeLine(at)}: ` : ''}${explain(told, lineOf)}\n`);
  const hint = hintOf(told);
  if (hint) io.err(`${escapeLine(hint)}\n`);
  if (verbose && error instanceof Error) io.err(`${escapeText(stackOf(error))}\n`);
  return error instanceof UsageError ? EXIT_USAGE : EXIT_ERROR;
}

/** True when the client refused for this reason, whatever the class. */
export const isRefusal = (error: unknown, code: string): boolean => error instanceof Error && (error as Error & Told).code === code;

function toldBy(error: unknown): Told {
  return error instanceof Error ? (error as Error & Told) : { message: String(error) };
}

function explain(told: Told, lineOf: (path: string) => number | undefined): string {
  const issues = issuesOf(told);
  const [only, ...others] = issues;
  const isAllSaid = others.length === 0 && !only?.path && only?.message === told.message;
  if (!only || isAllSaid) return escapeLine(told.message || 'something went wrong, without a word about what');
  const [subject] = told.message.split(' is not valid: ');
  const head = subject !== told.message ? `${subject} is not valid:` : 'the input is not valid:';
  const lines = issues.map(({ path, message }) => {
    const line = path ? lineOf(path) : undefined;
    return `  ${escapeLine(`${path ? `${path}: ` : ''}${message}${line === undefined ? '' : ` (line ${line})`}`)}`;
  });
  return [escapeLine(head), ...lines].join('\n');
}

function issuesOf({ issues }: Told): readonly Issue[] {
  return Array.isArray(issues) ? issues.filter((issue): issue is Issue => typeof issue?.message === 'string') : [];
}

function hintOf({ hint, known }: Told): string | undefined {
  if (typeof hint === 'string' && hint !== '') return hint;
  if (Array.isArray(known) && known.length > 0) return `Known kinds: ${known.join(', ')}.`;
  return undefined;
}

function stackOf(error: Error): string {
  const own = error.stack ?? error.message;
  return error.cause instanceof Error ? `${own}\ncaused by: ${stackOf(error.cause)}` : own;
}
