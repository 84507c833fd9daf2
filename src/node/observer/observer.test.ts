import type { Client } from '@temporalio/client';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Warden } from '../../../activities/instances/warden.ts';
import type { StopManner } from '../../../definitions/core/template.ts';
import { FakeRuntime } from '../door/test-double/runtime.ts';
import { Observer } from './observer.ts';

/** Knows nobody. */
const client = {
  workflow: {
    getHandle: () => ({
      describe: () => Promise.reject(Object.assign(new Error('not found'), { name: 'WorkflowNotFoundError' })),
      executeUpdate: () => Promise.reject(Object.assign(new Error('not found'), { name: 'WorkflowNotFoundError' })),
    }),
  },
} as unknown as Client;

/** Ends nothing before it is told to. */
class SlowRuntime extends FakeRuntime {
  readonly leaving: { readonly id: string; readonly stop: StopManner | undefined }[] = [];
  #release = (): void => {};
  readonly #released = new Promise<void>((resolve) => {
    this.#release = resolve;
  });

  override async remove(_uid?: string, id = '', stop?: StopManner): Promise<void> {
    this.leaving.push({ id, stop });
    await this.#released;
    this.seen = this.seen.filter((one) => one.id !== id);
  }

  override async watch(onReady = (): void => {}, _onChange?: unknown, signal?: AbortSignal): Promise<void> {
    onReady();
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
  }

  release(): void {
    this.#release();
  }
}

it('sweeps all orphans away at once, each with its own grace, and looks after the others meanwhile', async () => {
  const runtime = new SlowRuntime();
  for (const slot of [0, 1, 2, 3]) runtime.add(slot);
  runtime.add(4, { owner: { uid: 'uid-other', resource: 'apps.example.com/default/other', name: 'other' } });
  const warden = new Warden({ node: 'a', runtimes: new Map([['local', runtime]]), pollersOf: async () => [] });
  const log = pino({ level: 'silent' });
  const residents = async () => new Map();
  const observer = new Observer({ client, warden, runtime, log, residents, sweepMs: 10, graceMs: 0 });
  const stop = new AbortController();
  const running = observer.run(stop.signal);
  await expect.poll(() => runtime.leaving.length).toBe(5);
  expect(runtime.leaving.map((one) => one.stop)).toEqual([undefined, undefined, undefined, undefined, undefined]);
  const looks = runtime.looks;
  await expect.poll(() => runtime.looks).toBeGreaterThan(looks + 2);
  expect(runtime.leaving).toHaveLength(5);
  runtime.release();
  await expect.poll(() => runtime.seen).toEqual([]);
  stop.abort();
  await running;
});
