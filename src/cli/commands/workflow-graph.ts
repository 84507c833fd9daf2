import { writeFile } from 'node:fs/promises';
import type { Context } from '../context.ts';
import { type Found, findFlow } from '../flows/find.ts';
import { hasEnded } from '../flows/follow-run.ts';
import type { Io } from '../io.ts';
import { flowGraph } from '../output/flow-graph.ts';
import { graphSvg } from '../output/graph-svg.ts';
import { type Drawing, redraw } from '../redraw.ts';
import { UsageError } from '../usage-error.ts';

interface GraphOptions {
  readonly out?: string;
  readonly watch?: boolean;
}

/** The DAG of a run with its states, or of a Workflow without. */
export async function run(context: Context, [word = '']: readonly string[], { out, watch }: GraphOptions): Promise<undefined> {
  const { io, globals } = context;
  const format = globals.output ?? (out?.endsWith('.svg') ? 'svg' : 'text');
  if (format !== 'text' && format !== 'svg') throw new UsageError(`-o ${format} is not known here; use one of text, svg`);
  const found = await findFlow(context, word, ['WorkflowRun', 'Workflow']);
  if (watch) {
    if (format === 'svg' || out !== undefined) throw new UsageError('--watch draws on the terminal: it goes with neither -o svg nor --out');
    return void (await redraw(io, () => drawing(io, found)));
  }
  const isPlain = out !== undefined && out !== '-';
  const text = format === 'svg' ? graphSvg(found.resource, io.now()) : flowGraph(isPlain ? { ...io, colour: false } : io, found.resource);
  if (!isPlain) return void io.out(text);
  await writeFile(out, text);
  io.err(`wrote ${out}\n`);
}

async function drawing(io: Io, { resources, ref }: Found): Promise<Drawing> {
  const resource = await resources.get(ref);
  return {
    text: flowGraph(io, resource),
    state: resource.metadata.resourceVersion,
    isLast: resource.kind === 'Workflow' || hasEnded(resource),
  };
}
