import type { ConditionStatus } from '../../../definitions/core/resource.ts';
import { NotFoundError } from '../../client/errors.ts';
import { canUndo } from '../can-undo.ts';
import type { Context } from '../context.ts';
import { escapeLine } from '../escape.ts';
import { parseDuration } from '../input/duration.ts';
import { parseTargets } from '../input/targets.ts';
import { parseFormat } from '../output/format.ts';
import { evaluate, parse } from '../output/json-path.ts';
import { inOneLine, whyStuck, worthKnowing } from '../output/why-stuck.ts';
import { withProgress } from '../progress.ts';
import { EXIT_ERROR, isRefusal, report } from '../report.ts';
import { labelOf, type Selected, type Sharing, selectMany, typedRef } from '../selection.ts';
import { UsageError } from '../usage-error.ts';

interface WaitOptions {
  readonly for?: string;
  readonly all?: boolean;
  readonly selector?: string;
  readonly timeout?: string;
}

/** What is waited for. */
export type Goal =
  | { readonly goal: 'condition'; readonly type: string; readonly status: ConditionStatus }
  | { readonly goal: 'delete' }
  | { readonly goal: 'jsonpath'; readonly path: string; readonly value?: string };

const DEFAULT_TIMEOUT_MS = 30_000;
const STATUSES: readonly ConditionStatus[] = ['True', 'False', 'Unknown'];

export async function run(context: Context, args: readonly string[], options: WaitOptions): Promise<number> {
  const goal = parseGoal(options.for);
  parseFormat(context.globals.output, ['table', 'name']);
  const timeoutMs = options.timeout === undefined ? DEFAULT_TIMEOUT_MS : parseDuration(options.timeout, '--timeout');
  // What nobody has is gone, whichever was meant.
  const sharing: Sharing = { several: 'all', ...(goal.goal === 'delete' ? { none: (_, all) => all } : {}) };
  const selected = await selectMany(context, parseTargets(args), options, sharing);
  if (selected.length === 0) throw new UsageError('there is nothing to wait for: no resource matches');
  const waiting = new Set(selected.map(labelOf));
  const results = await withProgress(
    context.io,
    () => `waiting for ${[...waiting].slice(0, 3).join(', ')}${waiting.size > 3 ? ` and ${waiting.size - 3} more` : ''}`,
    async (aside) => {
      const ends = selected.map(async (one) => {
        const failed = await reach(one, goal, timeoutMs).then(
          () => undefined,
          (error: unknown) => ({ error }),
        );
        waiting.delete(labelOf(one));
        const why = failed && isRefusal(failed.error, 'Timeout') ? await reasonOf(context, one) : undefined;
        return { one, failed, why };
      });
      // All are waited for at once, and told in the order in which they are named.
      for (const end of ends) {
        const { one, failed, why } = await end;
        aside(() => tell(context, one, failed, why));
      }
      return (await Promise.all(ends)).map(({ failed }) => !failed);
    },
  );
  return results.every(Boolean) ? 0 : EXIT_ERROR;
}

/** Reads `condition=Ready`, `condition=Ready=False`, `jsonpath=.status.phase=Running` and `delete`. */
export function parseGoal(text: string | undefined): Goal {
  if (text === undefined)
    throw new UsageError('wait for what?', 'Say --for=condition=Ready, --for=delete or --for=jsonpath=.status.phase=Running.');
  const [what, first = '', ...rest] = text.split('=');
  if (text === 'delete' || text === 'deleted') return { goal: 'delete' };
  if (what === 'condition' && first !== '') {
    const wanted = rest[0] ?? 'True';
    const status = STATUSES.find((one) => one.toLowerCase() === wanted.toLowerCase());
    if (!status || rest.length > 1) throw new UsageError(`--for ${text}: a condition is True, False or Unknown`);
    return { goal: 'condition', type: first, status };
  }
  if (what === 'jsonpath' && first !== '') return pathGoal(text.slice('jsonpath='.length));
  throw new UsageError(
    `--for ${JSON.stringify(text)} is not known`,
    'Say condition=TYPE, condition=TYPE=False, jsonpath=PATH=VALUE or delete.',
  );
}

function pathGoal(text: string): Goal {
  const [, path = '', value] = /^((?:[^=[]|\[[^\]]*\])+)(?:=(.*))?$/s.exec(text) ?? [];
  try {
    parse(path);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  return { goal: 'jsonpath', path, ...(value === undefined ? {} : { value }) };
}

async function reach(one: Selected, goal: Goal, timeoutMs: number): Promise<void> {
  const { resources, ref } = one;
  if (goal.goal === 'delete') await resources.waitFor(ref, 'deleted', { timeoutMs });
  else if (goal.goal === 'condition') await resources.waitFor(ref, goal.type, { status: goal.status, timeoutMs });
  else await reachPath(one, goal, timeoutMs);
}

/** Fails at once when the resource is not there or goes away, as the wait for a condition does. */
async function reachPath(one: Selected, { path, value }: Extract<Goal, { goal: 'jsonpath' }>, timeoutMs: number) {
  const { resources, ref } = one;
  await resources.get(ref);
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), timeoutMs);
  try {
    for await (const { type, resource } of resources.watch({ ...ref, signal: ending.signal })) {
      if (type === 'DELETED') throw new NotFoundError(`${labelOf(one)} does not exist any more`);
      const found = evaluate(path, resource);
      if (value === undefined ? found !== undefined : String(found) === value) return;
    }
  } finally {
    clearTimeout(timer);
    ending.abort();
  }
  throw Object.assign(new Error(`${ref.name} did not get ${path}${value === undefined ? '' : ` = ${value}`} in time`), { code: 'Timeout' });
}

function tell({ io, globals }: Context, one: Selected, failed: { error: unknown } | undefined, why: string | undefined): void {
  if (!failed) return io.out(`${labelOf(one)}${globals.output === 'name' ? '' : ' condition met'}\n`);
  report(io, failed.error, { verbose: globals.verbose === true });
  if (why) io.err(`${escapeLine(why)}\n`);
}

async function reasonOf(context: Context, selected: Selected): Promise<string | undefined> {
  try {
    const name = await typedRef(await context.colony(), selected);
    const resource = await selected.resources.get(selected.ref);
    const circumstances = { canUndo: await canUndo(selected, resource) };
    const stuck = whyStuck(resource, name, context.io.now(), circumstances) ?? worthKnowing(resource, name);
    return stuck ? inOneLine(stuck) : undefined;
  } catch {
    return undefined;
  }
}
