import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { newEngineFolder, type PrivateEngine, startEngine, stopEngine, sweepEngines } from '../../scripts/docker-engine.mjs';
import { cloneRoot } from '../../src/config.ts';

/** Runs work with a Docker engine of its own, which is gone afterwards, also when this process is told to end meanwhile. */
export async function withPrivateEngine<T>(say: (sentence: string) => void, work: (engine: PrivateEngine) => Promise<T>): Promise<T> {
  await sweepEngines(say);
  const folder = newEngineFolder();
  // A process that ends cannot wait; somebody else can.
  const leave = (): void => {
    const script = join(cloneRoot(), 'scripts', 'docker-engine.mjs');
    spawn(process.execPath, [script, 'stop', folder], { detached: true, stdio: 'ignore' }).unref();
  };
  process.once('exit', leave);
  try {
    return await work(await startEngine(folder));
  } finally {
    process.off('exit', leave);
    await stopEngine(folder);
  }
}
