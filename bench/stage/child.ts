import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cloneRoot } from '../../src/config.ts';
import type { FromChild, ToChild } from './protocol.ts';

export interface ChildOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly execArgv: readonly string[];
}

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 10_000;

/** A process of the bench: one of bench/processes/ or bench/bare/. It ends by itself when this process is gone. */
export class Child {
  readonly ready: Promise<void>;
  private readonly process: ChildProcess;
  private readonly ended: Promise<void>;
  private readonly waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  private readonly listeners: ((news: unknown) => void)[] = [];
  private nextId = 1;

  constructor(
    private readonly entry: string,
    { env, execArgv }: ChildOptions,
    private readonly log: string,
  ) {
    const output = openSync(log, 'a');
    // Its own group: Ctrl-C reaches the bench alone, which ends its children.
    const options = {
      env,
      execArgv: [...execArgv],
      detached: true,
      stdio: ['ignore', output, output, 'ipc'] as ['ignore', number, number, 'ipc'],
    };
    this.process = fork(join(cloneRoot(), 'dist', 'bench', `${entry}.mjs`), options);
    closeSync(output);
    this.ended = new Promise((resolve) => {
      this.process.once('exit', (code, signal) => {
        for (const { reject } of this.waiting.values()) reject(this.failure(String(signal ?? code)));
        this.waiting.clear();
        resolve();
      });
    });
    this.ready = this.expect(0, READY_WITHIN_MS);
    this.ready.catch(() => {}); // told to whoever waits
    this.process.on('message', (message) => this.take(message as FromChild));
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  /** Asks the process; the answer is what its function of that name returns. */
  ask<T>(question: string, body: unknown = {}, withinMs = 120_000): Promise<T> {
    const id = this.nextId++;
    const answer = this.expect<T>(id, withinMs);
    this.process.send({ id, question, body } satisfies ToChild);
    return answer;
  }

  /** News that the process sends unasked. */
  listen(listener: (news: unknown) => void): void {
    this.listeners.push(listener);
  }

  async stop(): Promise<void> {
    if (this.process.connected) this.process.disconnect();
    const timer = setTimeout(() => this.kill(), STOP_WITHIN_MS);
    if (this.process.exitCode === null && this.process.signalCode === null) await this.ended;
    clearTimeout(timer);
  }

  kill(): void {
    this.process.kill('SIGKILL');
  }

  private take(message: FromChild): void {
    if ('news' in message) {
      for (const listener of this.listeners) listener(message.news);
      return;
    }
    const asker = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if ('error' in message) asker?.reject(new Error(`${this.entry}: ${message.error}`));
    else asker?.resolve(message.answer as never);
  }

  private expect<T>(id: number, withinMs: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => reject(this.failure(`no answer within ${withinMs / 1000} s`)), withinMs);
      const settled =
        <A extends unknown[]>(settle: (...args: A) => void) =>
        (...args: A) => {
          clearTimeout(timer);
          settle(...args);
        };
      this.waiting.set(id, { resolve: settled(resolve), reject: settled(reject) });
    });
  }

  private failure(what: string): Error {
    const tail = readFileSync(this.log, 'utf8').trim().split('\n').slice(-5).join('\n');
    return new Error(`${this.entry} failed (${what}); the processes said last:\n${tail}`);
  }
}
