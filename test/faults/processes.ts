import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { cloneRoot } from '../../src/config.ts';
import { temporalAddress } from '../support/temporal.ts';

export type Env = Readonly<Record<string, string>>;

/** Of a worker on the shared server that says only what goes wrong, and tries again soon. */
export const workerEnv = (temporalNamespace: string): Env => ({
  TEMPORAL_ADDRESS: temporalAddress(),
  TEMPORAL_NAMESPACE: temporalNamespace,
  COLONY_LOG_LEVEL: 'error',
  COLONY_FIRST_RETRY_MS: '200',
});

/** A process that is started again, without its failpoint, whenever it was killed: what a supervisor does. */
export class Supervised {
  /** How often it was found killed. */
  deaths = 0;
  private child: ChildProcess | undefined;
  private isStopping = false;

  constructor(
    private readonly script: string,
    private readonly env: Env,
    private readonly args: readonly string[] = [],
  ) {}

  /** Comes back when the process says that it is ready. */
  async start(more: Env = {}): Promise<void> {
    const child = spawn(process.execPath, [join(cloneRoot(), this.script), ...this.args], {
      env: { ...process.env, ...this.env, ...more },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.child = child;
    child.once('exit', (_code, signal) => {
      if (this.isStopping) return;
      if (signal === 'SIGKILL') this.deaths += 1;
      void this.start();
    });
    await Promise.race([once(child, 'message'), once(child, 'exit')]);
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    this.child?.kill(signal);
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    if (!this.child || this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Looks again and again until there is an answer; says what it waited for when there never is. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined>, withinMs = 120_000): Promise<T> {
  const until = Date.now() + withinMs;
  for (;;) {
    let trouble: unknown;
    const found = await look().catch((error: unknown) => {
      trouble = error;
      return undefined;
    });
    if (found !== undefined) return found;
    if (Date.now() > until) throw new Error(`did not happen within ${withinMs / 1000} s: ${what} (${String(trouble)})`, { cause: trouble });
    await pause(100);
  }
}
