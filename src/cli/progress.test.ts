import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withProgress } from './progress.ts';
import { fakeIo } from './test-double/io.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const wait = (ms: number) => () => new Promise<string>((resolve) => setTimeout(() => resolve('done'), ms));

describe('withProgress', () => {
  it('says nothing of quick work', async () => {
    const io = fakeIo();
    const working = withProgress(io, () => 'working', wait(1_900));
    await vi.advanceTimersByTimeAsync(2_500);
    expect([await working, io.stderr()]).toEqual(['done', '']);
  });

  it('reminds a file now and then', async () => {
    const io = fakeIo({ now: () => Date.now() });
    const working = withProgress(io, () => 'working', wait(15_000));
    await vi.advanceTimersByTimeAsync(16_000);
    await working;
    expect(io.stderr()).toBe('working … (2s)\nworking … (12s)\n');
  });

  it('moves on a terminal and leaves nothing behind, also when the work fails', async () => {
    const io = fakeIo({ errIsTerminal: true });
    const working = withProgress(
      io,
      () => 'working',
      async (aside) => {
        await wait(3_000)();
        aside(() => io.err('news\n'));
        throw new Error('no');
      },
    );
    working.catch(() => {});
    await vi.advanceTimersByTimeAsync(3_500);
    await expect(working).rejects.toThrow('no');
    const said = io.stderr();
    expect(said).toContain('working');
    expect(said).toContain('\r\u001b[Knews\n');
    expect(said.endsWith('\r\u001b[K')).toBe(true);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(io.stderr()).toBe(said);
  });

  it('stays on one line of the terminal', async () => {
    const io = fakeIo({ errIsTerminal: true });
    const working = withProgress(io, () => `working on ${'x'.repeat(200)}`, wait(2_500));
    await vi.advanceTimersByTimeAsync(2_600);
    await working;
    const frames = io.stderr().split('\r\u001b[K').filter(Boolean);
    expect(frames.length).toBeGreaterThan(1);
    for (const frame of frames) expect(frame.length).toBeLessThan(80);
    expect(frames[0]).toMatch(/x… \(\d+s\)$/);
  });
});
