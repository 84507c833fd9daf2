import { setTimeout as sleep } from 'node:timers/promises';
import { startBare } from '../bare/index.ts';
import { type Door, openDoor } from '../ours/door.ts';
import { startOurs } from '../ours/index.ts';
import { widget, widgetId } from '../ours/widget.ts';
import { plain, timesPeer } from '../report/results.ts';
import { figure } from '../report/statistics.ts';
import { cacheMemory, memoryOptions } from '../stage/cache-memory.ts';
import { countEvents, eventsOf, observedAt, pendingTimers } from '../stage/histories.ts';
import type { Stage } from '../stage/stage.ts';
import type { Context, Result, Suite } from '../suite.ts';

const SAMPLES = 5;

/** What a resource leaves in its history and in a worker's memory; counted, never timed. */
export const suite: Suite = { name: 'history', run };

async function run({ quick, stage, say }: Context): Promise<readonly Result[]> {
  const ours = await startOurs(stage, memoryOptions());
  const door = await openDoor(stage);
  const names = Array.from({ length: SAMPLES }, (_, index) => `sample-${index}`);

  const created = await worst(names, (name) => eventsOfApply(stage, door, name, 1));
  const changed = await worst(names, (name) => eventsOfApply(stage, door, name, 2));
  const unchanged = await worst(names, (name) => growth(stage, name, () => door.apply(widget(name, 2))));
  const invalid = await worst(names, (name) => growth(stage, name, () => refused(door, name)));
  const unborn = await refusedCreation(stage, door);
  say(`create ${created} events, change ${changed}, unchanged ${unchanged}, invalid ${invalid}, invalid creation ${unborn} workflows`);
  const seconds = quick ? 5 : 60;
  const idle = await idleEvents(stage, names, seconds, say);
  const counts = quick ? ([20, 120] as const) : ([300, 1_300] as const);
  const memory = await cacheMemory(stage, ours, counts, say);
  const bare = await cacheMemory(stage, await startBare(stage, memoryOptions()), counts, say);
  return [
    plain('unchanged apply', unchanged, 'events', { max: 0, note: 'through the client; the validator refuses it, which writes nothing' }),
    plain('invalid apply', invalid, 'events', { max: 0, note: 'through the client, to a resource that exists' }),
    plain('invalid creation', unborn, 'workflows', { max: 0, note: 'through the client, of a resource that does not exist' }),
    plain('create and first reconcile', created, 'events', { max: 18, note: `the most of ${SAMPLES}` }),
    plain('a later reconcile', changed, 'events', { max: 16, note: `the most of ${SAMPLES}` }),
    plain('idle resource', idle, 'events', {
      max: 0,
      note: `${SAMPLES} settled resources left alone: new events in ${seconds} s plus timers, activities and workflow tasks pending then; with none pending nothing can come later either`,
    }),
    plain('heap per cached idle resource', memory.heap, 'kB', {
      max: 100,
      note: `growth of the JavaScript heaps and buffers of all threads of the worker from ${counts[0]} to ${counts[1]} cached resources, after a garbage collection; bare: ${figure(bare.heap)} kB`,
    }),
    timesPeer({
      name: 'resident memory for it',
      ours: memory.resident,
      peer: bare.resident,
      of: 'kB',
      note: 'the same growth as the operating system sees it; the native half of the SDK, which bare has too, is the larger part',
    }),
  ];
}

/** The most that any of them gave: a count is a promise, not an average. */
async function worst(names: readonly string[], count: (name: string) => Promise<number>): Promise<number> {
  const counts: number[] = [];
  for (const name of names) counts.push(await count(name));
  return Math.max(...counts);
}

async function eventsOfApply(stage: Stage, door: Door, name: string, generation: number): Promise<number> {
  const before = generation === 1 ? 0 : await countEvents(stage.client, widgetId(name));
  await door.apply(widget(name, generation));
  for (;;) {
    await sleep(100);
    const events = await eventsOf(stage.client, widgetId(name));
    if (observedAt(events, generation) !== undefined) return events.length - before;
  }
}

async function growth(stage: Stage, name: string, act: () => Promise<unknown>): Promise<number> {
  const before = await countEvents(stage.client, widgetId(name));
  await act();
  await sleep(500);
  return (await countEvents(stage.client, widgetId(name))) - before;
}

async function refused(door: Door, name: string): Promise<void> {
  const { spec, ...rest } = widget(name, 3);
  const outcome = await door.apply({ ...rest, spec: { ...spec, colour: 'no such colour' } }).then(
    () => 'accepted',
    (error: Error) => error.name,
  );
  if (outcome === 'accepted') throw new Error('an invalid manifest was accepted, so its cost cannot be counted');
}

/** Visibility also shows workflows that were started and ended at once. */
async function refusedCreation(stage: Stage, door: Door): Promise<number> {
  await refused(door, 'unborn');
  await sleep(1_000);
  return (await stage.client.workflow.count(`WorkflowId = '${widgetId('unborn')}'`)).count;
}

async function idleEvents(stage: Stage, names: readonly string[], seconds: number, say: (sentence: string) => void): Promise<number> {
  const ids = names.map(widgetId);
  const total = async (): Promise<number> => (await Promise.all(ids.map((id) => countEvents(stage.client, id)))).reduce((a, b) => a + b, 0);
  const before = await total();
  say(`${seconds} s of leaving ${names.length} resources alone …`);
  await sleep(seconds * 1000);
  const grown = (await total()) - before;
  const pending = await Promise.all(ids.map((id) => pendingOf(stage, id)));
  const timers = pending.reduce((sum, count) => sum + count, 0);
  say(`idle: ${grown} events in ${seconds} s, ${timers} things pending`);
  return grown + timers;
}

/** What could still write an event by itself. */
async function pendingOf({ client }: Stage, workflowId: string): Promise<number> {
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  const timers = pendingTimers(await eventsOf(client, workflowId));
  return timers + (raw.pendingActivities?.length ?? 0) + (raw.pendingWorkflowTask ? 1 : 0);
}
