import type { Context } from '../context.ts';
import { findFlow } from '../flows/find.ts';
import { parseFormat } from '../output/format.ts';
import { printResources } from '../output/print-resources.ts';
import { findKind } from '../selection.ts';

/** The runs of a Workflow, the newest first. */
export async function run(
  context: Context,
  [word = '']: readonly string[],
  { headers = true }: { readonly headers?: boolean },
): Promise<undefined> {
  const format = parseFormat(context.globals.output);
  const { resource } = await findFlow(context, word, ['Workflow']);
  const { uid, name } = resource.metadata;
  const { known, resources } = await findKind(await context.colony(), 'WorkflowRun.automation.colonies.io');
  const runs = (await resources.list({ namespace: context.namespace }))
    .filter(({ metadata }) => metadata.ownerReferences.some((owner) => owner.uid === uid))
    .sort((a, b) => Date.parse(b.metadata.creationTimestamp) - Date.parse(a.metadata.creationTimestamp));
  if (runs.length === 0 && format.as === 'table')
    return void context.io.err(`${name} has no runs. Begin one: colony run workflow/${name}\n`);
  await printResources(context.io, [{ kind: known, resources: runs }], {
    format,
    withNamespace: false,
    withLabels: false,
    withKind: false,
    headers,
    single: false,
  });
}
