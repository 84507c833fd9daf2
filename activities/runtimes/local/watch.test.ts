import { afterEach, beforeEach, expect, it } from 'vitest';
import { atOnce, eventually, LocalStage } from '../../../test/support/local/stage.ts';

let stage: LocalStage;
let stop: AbortController;
let watching: Promise<void>;
let changes: number;

beforeEach(async () => {
  stage = new LocalStage();
  stop = new AbortController();
  changes = 0;
  await new Promise<void>((onReady) => {
    watching = stage.runtime.watch(
      onReady,
      ({ uid }) => {
        if (uid === stage.owner.uid) changes += 1;
      },
      stop.signal,
    );
  });
});
afterEach(async () => {
  stop.abort();
  await watching;
  await stage.clear();
});

/** The next change after the act; how long it took. */
async function changeAfter(act: () => unknown): Promise<number> {
  const before = changes;
  const began = performance.now();
  await act();
  await eventually(() => (changes > before ? true : undefined));
  return performance.now() - began;
}

it('tells of starts and of removals', async () => {
  await changeAfter(() => stage.start(stage.shell('sleep 100')));
  const { id } = await stage.only();
  await changeAfter(() => stage.runtime.remove(stage.owner.uid, id, atOnce));
});

it('tells of ends at once', async () => {
  const delays: number[] = [];
  for (const slot of [0, 1, 2]) {
    const seen = await stage.start(stage.shell('echo $$; exec sleep 100'), slot);
    const pid = Number(await stage.said(seen, /\d+\n/));
    delays.push(await changeAfter(() => process.kill(pid, 'SIGTERM')));
    expect((await stage.only(slot)).state).toBe('exited');
  }
  // Any one may meet a busy machine.
  expect(Math.min(...delays)).toBeLessThan(100);
});

it('tells of ends that nobody could note', async () => {
  const seen = await stage.start(stage.shell('sleep 100'));
  await changeAfter(() => process.kill(-stage.leader(seen), 'SIGKILL'));
  expect((await stage.only()).state).toBe('exited');
});

it('tells of what was there before it began', async () => {
  const seen = await stage.start(stage.shell('echo ready; exec sleep 100'));
  await stage.said(seen, /ready/);
  let later = 0;
  const end = new AbortController();
  const other = stage.agent();
  await new Promise<void>((onReady) => {
    void other.watch(onReady, () => (later += 1), end.signal);
  });
  expect(later).toBe(0);
  process.kill(-stage.leader(seen), 'SIGTERM');
  await eventually(() => (later > 0 ? true : undefined));
  end.abort();
});

it('says nothing while nothing happens, however much the process says', async () => {
  const seen = await stage.start(stage.shell('while :; do echo x; sleep 0.01; done'));
  await stage.said(seen, /x/);
  const before = changes;
  const cpu = process.cpuUsage();
  await new Promise((wake) => setTimeout(wake, 1_500));
  const { user, system } = process.cpuUsage(cpu);
  expect(changes).toBe(before);
  expect((user + system) / 1_500_000).toBeLessThan(0.2);
});
