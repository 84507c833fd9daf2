import { writeFile } from 'node:fs/promises';
import type { Context } from '../context.ts';
import { findFlow } from '../flows/find.ts';
import { flowGraph } from '../output/flow-graph.ts';
import { graphSvg } from '../output/graph-svg.ts';
import { UsageError } from '../usage-error.ts';

/** The DAG of a run with its states, or of a Workflow without. */
export async function run(context: Context, [word = '']: readonly string[], { out }: { readonly out?: string }): Promise<undefined> {
  const { io, globals } = context;
  const format = globals.output ?? (out?.endsWith('.svg') ? 'svg' : 'text');
  if (format !== 'text' && format !== 'svg') throw new UsageError(`-o ${format} is not known here; use one of text, svg`);
  const { resource } = await findFlow(context, word, ['WorkflowRun', 'Workflow']);
  const isPlain = out !== undefined && out !== '-';
  const text = format === 'svg' ? graphSvg(resource, io.now()) : flowGraph(isPlain ? { ...io, colour: false } : io, resource);
  if (!isPlain) return void io.out(text);
  await writeFile(out, text);
  io.err(`wrote ${out}\n`);
}
