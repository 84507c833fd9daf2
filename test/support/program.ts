import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { cloneRoot } from '../../src/config.ts';
import { temporalAddress } from './temporal.ts';

export type Env = Readonly<Record<string, string>>;

/** A real process, as a person would start it; what it says on both streams is kept. */
export class Program {
  said = '';
  readonly child: ChildProcess;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;

  constructor(command: string, args: readonly string[], env: Env) {
    this.child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout, this.child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (this.said += text));
    this.ended = once(this.child, 'close').then(([code, signal]) => signal ?? code);
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Comes back with the first match, as soon as it has been said. */
  async says(pattern: RegExp, withinMs = 60_000): Promise<RegExpExecArray> {
    const until = Date.now() + withinMs;
    for (;;) {
      const match = pattern.exec(this.said);
      if (match) return match;
      if (!this.isRunning || Date.now() > until) throw new Error(`never said ${pattern}; it said:\n${this.said}`);
      await new Promise((wake) => setTimeout(wake, 25));
    }
  }

  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | string> {
    if (this.isRunning) this.child.kill(signal);
    return this.ended;
  }
}

/** Processes of one test file, in one Temporal namespace; whatever is left of them is ended by `endAll`. */
export class Programs {
  readonly #started: Program[] = [];

  constructor(private readonly namespace: string) {}

  get env(): Env {
    return { TEMPORAL_ADDRESS: temporalAddress(), TEMPORAL_NAMESPACE: this.namespace };
  }

  start(command: string, args: readonly string[], env: Env = {}): Program {
    const program = new Program(command, args, { ...this.env, ...env });
    this.#started.push(program);
    return program;
  }

  /** `colony …`, as the set-up has built it: bin/colony.cjs would build anew whenever somebody saves a file meanwhile. */
  colony(args: readonly string[], env: Env = {}): Program {
    return this.start(process.execPath, [join(cloneRoot(), 'dist', 'cli.mjs'), ...args], env);
  }

  /** Runs `colony …` to its end. */
  async run(args: readonly string[], env: Env = {}): Promise<{ readonly code: number | string; readonly said: string }> {
    const program = this.colony(args, env);
    return { code: await program.ended, said: program.said };
  }

  /** Colony's own worker, as a process that can be killed; ready when this comes back. */
  async worker(env: Env = {}): Promise<Program> {
    const program = this.start(process.execPath, [join(cloneRoot(), 'dist', 'worker.mjs')], { COLONY_LOG_LEVEL: 'info', ...env });
    await program.says(/"msg":"ready"/);
    return program;
  }

  /** The agent of a machine; ready when this comes back. */
  async node(env: Env): Promise<Program> {
    const args = [join(cloneRoot(), 'dist', 'worker.mjs'), '--role', 'node'];
    const program = this.start(process.execPath, args, { COLONY_LOG_LEVEL: 'info', ...env });
    await program.says(/"msg":"ready"/);
    return program;
  }

  async endAll(): Promise<void> {
    await Promise.all(this.#started.map((program) => program.end()));
  }
}
