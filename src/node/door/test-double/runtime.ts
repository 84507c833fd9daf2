import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ExecRequest, ExecSession, LogChunk, LogOptions, Runtime, Seen, Usage } from '../../../../activities/runtimes/runtime.ts';
import type { RuntimeName } from '../../../../definitions/core/template.ts';

/** A runtime in memory: instances and logs are given, commands are real ones of this machine. */
export class FakeRuntime implements Runtime {
  seen: Seen[] = [];
  said = new Map<string, readonly LogChunk[]>();
  usage: Usage[] = [];
  /** Thrown by whatever is asked next, until it is taken away. */
  trouble: Error | undefined;
  /** After what was said, before the end; for followers. */
  afterLogs: (signal: AbortSignal) => Promise<void> = untilAborted;
  /** When whoever asked for them is gone. */
  endsCommands = false;
  readonly asked: { readonly id: string; readonly options: LogOptions }[] = [];
  /** How often somebody asked who is there. */
  looks = 0;
  readonly resized: [number, number][] = [];

  constructor(readonly name: RuntimeName = 'local') {}

  add(slot: number, more: Partial<Seen> = {}): this {
    const digest = more.digest ?? 'd1d1d1d1';
    this.seen.push({
      id: `id-${slot}-${digest}`,
      name: `web-0123456789-${slot}-${digest}`,
      slot,
      digest,
      generation: 1,
      state: 'running',
      ready: true,
      startedAt: '2026-03-01T11:55:00Z',
      owner: { uid: 'uid-web', resource: 'apps.example.com/default/web', name: 'web' },
      probes: {},
      ...more,
    });
    return this;
  }

  says(id: string, stdout: string, stderr = ''): this {
    const chunks: LogChunk[] = [{ stream: 'stdout', data: Buffer.from(stdout) }];
    if (stderr !== '') chunks.push({ stream: 'stderr', data: Buffer.from(stderr) });
    this.said.set(id, chunks);
    return this;
  }

  async list(uid?: string): Promise<readonly Seen[]> {
    this.looks += 1;
    if (this.trouble) throw this.trouble;
    return this.seen.filter(({ owner }) => uid === undefined || owner.uid === uid);
  }

  async *logs(id: string, options: LogOptions): AsyncGenerator<LogChunk> {
    this.asked.push({ id, options });
    if (this.trouble) throw this.trouble;
    yield* this.said.get(id) ?? [];
    if (options.follow) await this.afterLogs(options.signal);
    if (this.trouble) throw this.trouble;
  }

  async exec(_id: string, request: ExecRequest & { readonly signal?: AbortSignal }): Promise<ExecSession> {
    if (this.trouble) throw this.trouble;
    const {
      command: [file = '', ...args],
    } = request;
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    await once(child, 'spawn');
    child.stdin.on('error', () => {});
    if (this.endsCommands) request.signal?.addEventListener('abort', () => child.kill());
    const exitCode = new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 137)));
    const queue: LogChunk[] = [];
    let wake = (): void => {};
    let open = 2;
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].on('data', (data: Buffer) => {
        queue.push({ stream, data });
        wake();
      });
      child[stream].on('close', () => {
        open -= 1;
        wake();
      });
    }
    async function* output(): AsyncGenerator<LogChunk> {
      for (;;) {
        while (queue.length > 0) yield queue.shift() as LogChunk;
        if (open === 0) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    return {
      output: output(),
      write: (data) => void child.stdin.write(data),
      endInput: () => void child.stdin.end(),
      resize: async (rows, columns) => void this.resized.push([rows, columns]),
      exitCode,
    };
  }

  async stats(ids: readonly string[]): Promise<readonly Usage[]> {
    if (this.trouble) throw this.trouble;
    return this.usage.filter(({ id }) => ids.includes(id));
  }

  async ensure(): Promise<void> {}
  async restart(): Promise<void> {}
  async remove(): Promise<void> {}
  async resolveImage(image: string) {
    return { image };
  }
  async probe(): Promise<void> {}
  async watch(): Promise<void> {}
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve())));
}
