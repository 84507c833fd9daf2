import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { defineExecutor, forbidden, type Handler, type HandlerRequest, invalidSpec, notReady } from 'colony/executor';

/** Makes widgets: a widget is a text file in this folder. */
const folder = process.env.WIDGETS_DIR ?? join(tmpdir(), 'widgets');

interface WidgetSpec {
  readonly colour: string;
  readonly size: number;
  readonly text: string;
  readonly after?: string;
  readonly seconds: number;
  readonly polishEvery?: number;
}

/** Called whenever a widget is new, changed, due for another look, or on its way out. */
const reconcileWidget: Handler = async (request, { signal }) => {
  const path = fileOf(request, request.metadata.name);
  const owner = await ownerOf(path);
  const isOurs = owner === undefined || owner === request.metadata.uid;
  if (request.operation === 'finalize') {
    if (isOurs) await rm(path, { force: true }); // a stranger's file is not ours to remove
    return {};
  }
  const spec = request.spec as unknown as WidgetSpec;
  if (spec.text.length > spec.size * 2)
    throw invalidSpec(`spec.text: ${spec.text.length} letters do not fit on size ${spec.size}, at most ${spec.size * 2} do`);
  if (!isOurs) throw forbidden(`${path} belongs to another widget`);
  if (spec.after && !(await ownerOf(fileOf(request, spec.after))))
    throw notReady(`waits for widget ${spec.after}`, { retryAfterSeconds: 1 });

  await pause(spec.seconds * 1000, undefined, { signal }); // gives up at once when a newer spec makes this one pointless
  await writeWhole(path, drawing(request, spec));
  return {
    status: { drawnAs: spec.colour },
    conditions: [{ type: 'Polished', status: 'True', reason: 'Fresh', message: 'It shines.' }],
    outputs: { path },
    ...(spec.polishEvery ? { requeueAfterSeconds: spec.polishEvery } : {}),
  };
};

const fileOf = ({ metadata }: HandlerRequest, name: string): string => join(folder, metadata.namespace ?? '-', `${name}.txt`);

/** The first line says whose it is, so that a second call finds what the first has made. */
async function ownerOf(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return text?.split('\n', 1)[0];
}

function drawing({ metadata, idempotencyKey }: HandlerRequest, { colour, size, text }: WidgetSpec): string {
  const edge = '-'.repeat(size * 2);
  return [metadata.uid, `+${edge}+`, `|${text.padEnd(size * 2)}| ${colour}`, `+${edge}+`, `made as ${idempotencyKey}`, ''].join('\n');
}

/** Whole or not at all: nobody ever sees half a widget, whenever this process may be killed. */
async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.draft`, text);
  await rename(`${path}.draft`, path);
}

export default defineExecutor({
  executorType: 'widget-maker',
  functions: { reconcile_widget: reconcileWidget },
});
