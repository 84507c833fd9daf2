import { type ColonyClient, connect } from '../../src/client/index.ts';
import { serve, tell } from '../inside/serve.ts';
import { API_VERSION } from '../ours/widget.ts';

/** A process with a copy of all resources, as a door has one. */
let colony: ColonyClient | undefined;

/** From nothing, connection included, to the first complete list. */
async function start(): Promise<{ ms: number; resources: number }> {
  const began = performance.now();
  colony = await connect();
  const informer = await colony.informer();
  const ms = performance.now() - began;
  return { ms, resources: informer.snapshot().resources.length };
}

/** The resources of a kind by the copy, as often as asked. */
async function list({ times }: { times: number }): Promise<{ ms: number[]; resources: number }> {
  const ms: number[] = [];
  let resources = 0;
  for (let i = 0; i < times; i += 1) {
    const began = performance.now();
    resources = (await opened().resources(API_VERSION, 'Widget').list({ cached: true })).length;
    ms.push(performance.now() - began);
  }
  return { ms, resources };
}

/** Tells every change with the moment at which it was seen. */
async function watch(): Promise<void> {
  const informer = await opened().informer();
  const { position } = informer.snapshot();
  void (async () => {
    for await (const { resource } of informer.changes(position)) {
      tell({ name: resource.metadata.name, generation: resource.metadata.generation, at: performance.timeOrigin + performance.now() });
    }
  })();
}

function opened(): ColonyClient {
  if (!colony) throw new Error('ask for start first');
  return colony;
}

serve({ start, list, watch }, () => colony?.close());
