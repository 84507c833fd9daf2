import type { Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../src/embedded/ports.ts';
import { keepRunning } from '../src/node/keep-running.ts';
import { temporalAddress } from './support/temporal.ts';

let stop: AbortController;
let changes: boolean[];
let said: string[];
beforeEach(() => {
  stop = new AbortController();
  changes = [];
  said = [];
});
afterEach(() => stop.abort());

const log = pino({ level: 'warn' }, { write: (line) => said.push(JSON.parse(line).reason) });

/** A worker that runs until it is shut down, or ends by itself with an error. */
function fakeWorker(error?: Error): Worker {
  let shutdown = (): void => {};
  const run = (): Promise<void> => (error ? Promise.reject(error) : new Promise((resolve) => (shutdown = resolve)));
  return { run, shutdown: () => shutdown() } as Partial<Worker> as Worker;
}

const keep = (address: string, createWorker: () => Promise<Worker>): Promise<void> =>
  keepRunning({ address, createWorker, signal: stop.signal, log, onChange: (ready) => changes.push(ready) });

describe('keepRunning', () => {
  it('makes a new worker when one gives up, and ends politely', async () => {
    const workers = [fakeWorker(new Error('core gave up')), fakeWorker()];
    const kept = keep(temporalAddress(), async () => workers.shift()!);
    await expect.poll(() => changes, { timeout: 10_000 }).toEqual([true, false, true]);
    expect(said).toEqual(['core gave up']);
    stop.abort();
    await kept;
  });

  it('tries again while a worker cannot be made, and says each reason once', async () => {
    const faults = ['no namespace', 'no namespace', 'no namespace', 'no right'];
    const kept = keep(temporalAddress(), async () => {
      const fault = faults.shift();
      if (fault) throw new Error(fault);
      return fakeWorker();
    });
    await expect.poll(() => changes.at(-1), { timeout: 20_000 }).toBe(true);
    expect(said).toEqual(['no namespace', 'no right']);
    stop.abort();
    await kept;
  });

  it('makes a new worker where Temporal is by then, when its companion fails', async () => {
    const places: string[] = [];
    const address = (): string => {
      places.push(temporalAddress());
      return temporalAddress();
    };
    const faults = [new Error('it has moved')];
    const kept = keepRunning({
      address,
      createWorker: async () => fakeWorker(),
      accompany: async () => {
        const fault = faults.shift();
        if (fault) throw fault;
      },
      signal: stop.signal,
      log,
      onChange: (ready) => changes.push(ready),
    });
    await expect.poll(() => changes, { timeout: 10_000 }).toEqual([true, false, true]);
    expect(said).toEqual(['it has moved']);
    expect(places).toHaveLength(2);
    stop.abort();
    await kept;
  });

  it('waits for a Temporal that is not there, and can be ended meanwhile', async () => {
    const kept = keep(`127.0.0.1:${await freePort()}`, async () => fakeWorker());
    await expect.poll(() => said.length, { timeout: 20_000 }).toBeGreaterThan(0);
    stop.abort();
    await kept;
    expect(changes).not.toContain(true);
  });
});
