import type { Resource } from '../../../definitions/core/resource.ts';
import type { WorkflowSpec } from '../../../definitions/workflow/schema.ts';
import type { Context } from '../context.ts';
import { findFlow } from '../flows/find.ts';
import { showRun } from '../flows/show-run.ts';
import { parseDuration } from '../input/duration.ts';
import { parsePairs } from '../input/pairs.ts';
import { yesNo } from '../input/yes-no.ts';
import { parseFormat } from '../output/format.ts';
import { printDone } from '../output/print-done.ts';
import { findKind } from '../selection.ts';

interface RunOptions {
  readonly param?: readonly string[];
  readonly name?: string;
  readonly wait?: boolean | string;
  readonly timeout?: string;
}

export async function run(context: Context, [word = '']: readonly string[], options: RunOptions): Promise<number> {
  const format = parseFormat(context.globals.output, ['table', 'json', 'yaml', 'name']);
  const timeoutMs = options.timeout === undefined ? undefined : parseDuration(options.timeout, '--timeout');
  const waits = yesNo(options.wait, '--wait', false);
  const colony = await context.colony();
  const { ref, resource } = await findFlow(context, word, ['Workflow']);
  const params = parsePairs(options.param, '--param', textParams(resource));
  const { name, namespace } = await colony.run(ref, { params, ...(options.name === undefined ? {} : { name: options.name }) });
  const selected = { ...(await findKind(colony, 'WorkflowRun.automation.colonies.io')), ref: { name, namespace } };
  if (!waits) {
    await printDone(context, selected, format, 'started');
    return 0;
  }
  return showRun(context, selected, format, { timeoutMs });
}

/** `--param zip=01234` stays a text where the Workflow has a text. */
function textParams({ spec }: Resource): (name: string) => boolean {
  const { params = [] } = spec as unknown as WorkflowSpec;
  return (name) => {
    const param = params.find((one) => one.name === name);
    return typeof (param?.default ?? param?.enum?.[0]) === 'string';
  };
}
