import { setTimeout as sleep } from 'node:timers/promises';
import { TASK_QUEUE } from '../../src/client/session.ts';
import { type Door, openDoor } from '../ours/door.ts';
import { widget, widgetDefinition, widgetId } from '../ours/widget.ts';
import { plain } from '../report/results.ts';
import { median, summary } from '../report/statistics.ts';
import type { Child } from '../stage/child.ts';
import { eventsOf, observedAt } from '../stage/histories.ts';
import { inFlight } from '../stage/in-flight.ts';
import type { Stage } from '../stage/stage.ts';
import type { Context, Result, Suite } from '../suite.ts';

const COLD_STARTS = 3;
const PROGRESS_MS = 20_000;

/** Reading many resources at once. */
export const suite: Suite = { name: 'list', run };

async function run({ quick, stage, say }: Context): Promise<readonly Result[]> {
  const count = quick ? 300 : 10_000;
  // A handful of them is changed later; the rest need not stay in the worker's memory.
  await stage.start('processes/colony-worker', { env: { COLONY_MAX_CACHED_WORKFLOWS: '1000' } });
  const door = await openDoor(stage);
  await door.apply(widgetDefinition({ handled: false }));
  await createMany(stage, count, say);

  const starts: number[] = [];
  const lists: number[] = [];
  let freshness: readonly number[] = [];
  for (let round = 0; round < COLD_STARTS; round += 1) {
    const informer = await stage.start('processes/informer');
    const { ms, resources } = await informer.ask<{ ms: number; resources: number }>('start');
    // The definition is a resource too.
    if (resources !== count + 1) throw new Error(`the informer found ${resources} resources instead of ${count + 1}`);
    starts.push(ms);
    const listed = await informer.ask<{ ms: number[]; resources: number }>('list', { times: 20 });
    if (listed.resources !== count) throw new Error(`${listed.resources} resources were listed instead of ${count}`);
    lists.push(...listed.ms);
    say(`cold start ${Math.round(ms)} ms, warm list ${summary(listed.ms, 'ms')}`);
    if (round === COLD_STARTS - 1) freshness = await delays(stage, informer, door, quick ? 5 : 40);
    await informer.stop();
  }
  say(`freshness ${summary(freshness, 'ms')}`);
  return [
    plain(`informer cold start, ${count} rows`, Math.max(...starts) / 1000, 's', {
      max: 10,
      note: `a new process: connect and first complete list; the slowest of ${COLD_STARTS}`,
    }),
    plain(`warm informer list of ${count}, p50`, median(lists), 'ms', {
      max: 100,
      note: 'all resources of a kind from the informer, sorted',
    }),
    plain('visibility freshness, p50', median(freshness), 'ms', {
      note: 'from the event that publishes a change until the informer says it; the informer looks every 500 ms',
    }),
  ];
}

/** A start with the manifest as its argument is the cheapest way to create a resource. */
async function createMany({ client }: Stage, count: number, say: (sentence: string) => void): Promise<void> {
  const began = Date.now();
  const ready = async (): Promise<number> => (await client.workflow.count(`WorkflowType = 'Widget' AND ColonyReady = 'True'`)).count;
  const starting = inFlight(count, 32, async (index) => {
    const name = nameOf(index);
    const manifest = { ...widget(name, 1), metadata: { name, namespace: 'default', labels: { shard: String(index % 100) } } };
    await client.workflow.start('Widget', {
      workflowId: widgetId(name),
      taskQueue: TASK_QUEUE,
      workflowTaskTimeout: '5s',
      args: [manifest],
    });
  });
  for (let done = 0, told = began; done < count; done = await ready()) {
    await Promise.race([sleep(1_000), starting.then(() => sleep(1_000))]);
    if (Date.now() - told < PROGRESS_MS) continue;
    told = Date.now();
    say(`${done} of ${count} resources are ready …`);
  }
  await starting;
  say(`${count} resources in ${Math.round((Date.now() - began) / 1000)} s`);
}

const nameOf = (index: number): string => `w-${String(index).padStart(5, '0')}`;

/** One change at a time, at moments that do not beat with the informer's own. */
async function delays({ client }: Stage, informer: Child, door: Door, samples: number): Promise<readonly number[]> {
  const seen = new Map<string, number>();
  informer.listen((news) => {
    const { name, generation, at } = news as { name: string; generation: number; at: number };
    if (!seen.has(`${name}/${generation}`)) seen.set(`${name}/${generation}`, at);
  });
  await informer.ask('watch');
  const taken: number[] = [];
  for (let index = 0; index < samples; index += 1) {
    const name = nameOf(index);
    await door.apply(widget(name, 2));
    while (!seen.has(`${name}/2`)) await sleep(20);
    const published = observedAt(await eventsOf(client, widgetId(name)), 2);
    if (published === undefined) throw new Error(`${name} was seen before it was published`);
    taken.push((seen.get(`${name}/2`) ?? 0) - published);
    await sleep((index * 37) % 500);
  }
  return taken;
}
