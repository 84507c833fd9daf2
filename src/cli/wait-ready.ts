import type { Resource } from '../../definitions/core/resource.ts';
import { canUndo } from './can-undo.ts';
import type { Context } from './context.ts';
import { escapeLine } from './escape.ts';
import { endSentence, follow } from './follow.ts';
import { parseDuration } from './input/duration.ts';
import { yesNo } from './input/yes-no.ts';
import { inOneLine, whyStuck } from './output/why-stuck.ts';
import { EXIT_ERROR, EXIT_INTERRUPTED } from './report.ts';
import { labelOf, type Selected, typedRef } from './selection.ts';

/** What `--wait` and `--timeout` say. */
export interface Waiting {
  readonly timeoutMs: number;
}

const TIMEOUT_MS = 5 * 60_000;

/** undefined: do not wait. */
export function readWaiting({ wait, timeout }: { readonly wait?: boolean | string; readonly timeout?: string }): Waiting | undefined {
  const timeoutMs = timeout === undefined ? TIMEOUT_MS : parseDuration(timeout, '--timeout');
  return yesNo(wait, '--wait', false) ? { timeoutMs } : undefined;
}

/** Follows the resources, one after the other, until they are ready. Answers with the exit code; what went wrong was said. */
export async function awaitReady(context: Context, selected: readonly Selected[], { timeoutMs }: Waiting): Promise<number> {
  const { io, globals } = context;
  const signal = io.interrupted();
  const until = performance.now() + timeoutMs;
  const isQuiet = globals.output !== undefined && globals.output !== 'table';
  let code = 0;
  for (const one of selected) {
    const followed = await follow(io, one, { timeoutMs: Math.max(0, until - performance.now()), signal });
    if (followed.end === 'decided' && followed.outlook.state === 'done') {
      if (!isQuiet) io.out(`${escapeLine(`${labelOf(one)} is ready: ${followed.outlook.message}`)}\n`);
      continue;
    }
    const told = endSentence(one, followed, timeoutMs);
    io.err(`error: ${escapeLine(told)}\n`);
    if (followed.end === 'interrupted') return EXIT_INTERRUPTED;
    if (followed.resource) await advise(context, one, followed.resource, told);
    code = EXIT_ERROR;
  }
  return code;
}

/** What was told already is not said again. */
async function advise(context: Context, one: Selected, resource: Resource, told: string): Promise<void> {
  const typed = await typedRef(await context.colony(), one);
  const stuck = whyStuck(resource, typed, context.io.now(), { canUndo: await canUndo(one, resource) });
  if (stuck) context.io.err(`${escapeLine(told.includes(stuck.why) ? stuck.todo : inOneLine(stuck))}\n`);
}
