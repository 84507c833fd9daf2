import { readdirSync, statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalStage } from '../../../test/support/local/stage.ts';
import type { Runtime, Seen } from '../runtime.ts';

let stage: LocalStage;
beforeEach(() => {
  stage = new LocalStage();
});
afterEach(() => stage.clear());

describe('logs', () => {
  it('keep both streams apart', async () => {
    const seen = await stage.start(stage.shell('echo out; echo err >&2'));
    await stage.until(({ state }) => state === 'exited');
    const signal = AbortSignal.timeout(1_000);
    const chunks = stage.runtime.logs(seen.id, { follow: false, previous: false, timestamps: false, signal });
    const said: string[] = [];
    for await (const { stream, data } of chunks) said.push(`${stream}: ${Buffer.from(data)}`);
    expect(said).toEqual(['stdout: out\n', 'stderr: err\n']);
  });

  it.each([
    { tail: 0, text: '' },
    { tail: 1, text: '5' },
    { tail: 3, text: '3\n4\n5' },
    { tail: 99, text: '1\n2\n3\n4\n5' },
  ])('end with the last $tail lines', async ({ tail, text }) => {
    const seen = await stage.start(stage.shell('printf "1\\n2\\n3\\n4\\n5"'));
    await stage.until(({ state }) => state === 'exited');
    expect(await stage.text(seen, { tail })).toBe(text);
  });

  it('are those of one life, and of the one before when asked', async () => {
    const revision = stage.shell('echo life >> lives; wc -l < lives');
    const seen = await stage.start(revision);
    for (const life of [1, 2, 3]) {
      await stage.until(({ state }) => state === 'exited');
      expect(await stage.text(seen)).toBe(`${life}\n`);
      expect(await stage.text(seen, { previous: true })).toBe(life === 1 ? '' : `${life - 1}\n`);
      await stage.start(revision);
    }
    await stage.until(({ state }) => state === 'exited');
    expect(readdirSync(stage.path(seen, 'logs')).sort()).toEqual(['3.stderr', '3.stdout', '4.stderr', '4.stdout']);
  });

  it('can be followed until the last word', async () => {
    const seen = await stage.start(stage.shell('for i in 1 2 3; do echo $i; sleep 0.15; done; echo last'));
    expect(await stage.text(seen, { follow: true })).toBe('1\n2\n3\nlast\n');
    expect((await stage.only()).state).toBe('exited');
  });

  it('can be followed until somebody has heard enough', async () => {
    const seen = await stage.start(stage.shell('echo hello; exec sleep 100'));
    expect(await hear(seen, /hello\n/)).toBe('hello\n');
    expect((await stage.only()).state).toBe('running');
  });

  it('are cut while they grow, and lose no line to a reader', async () => {
    const agent = stage.agent({ defaults: { memoryBytes: 0, pids: 0, logBytes: 1_000, logFiles: 3 } });
    const end = new AbortController();
    const count = 'i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo "line number $i"; sleep 0.01; done; sleep 100';
    const seen = await stage.start(stage.shell(count));
    const watching = watchUntil(agent, end.signal);
    await watching.ready;
    const heard = await hear(seen, /number 300\n/);
    end.abort();
    await watching.done;
    const names = readdirSync(stage.path(seen, 'logs')).filter((name) => name.startsWith('1.stdout'));
    expect(names.sort()).toEqual(['1.stdout', '1.stdout.1', '1.stdout.2']);
    expect(statSync(stage.path(seen, 'logs', '1.stdout')).size).toBeLessThanOrEqual(2_500);
    const numbers = [...heard.matchAll(/number (\d+)/g)].map(([, number]) => Number(number));
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    // A line said in the very moment of a cut may be lost, which is the price of not being in the process's way.
    expect(numbers.length).toBeGreaterThan(295);
    const tail = (await stage.text(seen, { tail: 70 })).split('\n');
    expect([tail.length, tail.at(-2)]).toEqual([71, 'line number 300']);
  });

  it('of nobody are an error', async () => {
    await expect(stage.text({ ...(await stage.start(stage.shell('true'))), id: 'local-0000000000-0-00000000' })).rejects.toThrow();
  });
});

describe('last words', () => {
  it('are at most ten lines and 1 kB, of stderr if there are any', async () => {
    await stage.start(stage.shell('echo out; for i in $(seq 200); do echo "fäil $i" >&2; done; exit 1'));
    const { exit } = await stage.until(({ state }) => state === 'exited');
    expect(exit!.log!.split('\n')).toEqual(Array.from({ length: 10 }, (_, i) => `fäil ${191 + i}`));
  });

  it('may be one endless line', async () => {
    await stage.start(stage.shell('head -c 5000 /dev/zero | tr "\\0" x; exit 1'));
    const { exit } = await stage.until(({ state }) => state === 'exited');
    expect(exit!.log).toBe('x'.repeat(1024));
  });
});

/** Follows until that was said; everything up to there. */
async function hear(seen: Seen, pattern: RegExp): Promise<string> {
  const enough = new AbortController();
  let text = '';
  for await (const { data } of stage.runtime.logs(seen.id, { follow: true, previous: false, timestamps: false, signal: enough.signal })) {
    text += Buffer.from(data);
    if (pattern.test(text)) enough.abort();
  }
  return text;
}

function watchUntil(agent: Runtime, signal: AbortSignal): { ready: Promise<void>; done: Promise<void> } {
  let done = Promise.resolve();
  const ready = new Promise<void>((onReady) => {
    done = agent.watch(onReady, () => undefined, signal);
  });
  return { ready, done: ready.then(() => done) };
}
