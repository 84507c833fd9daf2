import type { IncomingMessage } from 'node:http';
import type { LogChunk, LogOptions } from '../runtime.ts';
import type { Containers } from './containers.ts';
import { demux } from './demux.ts';
import { type Engine, LOOK_TIMEOUT_MS } from './engine.ts';
import { outage, unexpected } from './errors.ts';
import { lastLines } from './last-lines.ts';
import type { Spoken } from './lives.ts';

const LAST_LINES = 10;
const LAST_BYTES = 1024;

/** What a container said in its current life, or in the one before it. */
export async function* logsOf(containers: Containers, id: string, options: LogOptions): AsyncGenerator<LogChunk> {
  const inspected = await containers.inspect(id);
  if (!inspected) throw new Error('there is no such instance on this node');
  const { lives } = containers.known;
  const { Id } = inspected.container;
  if (options.previous) {
    const before = lives.before(Id);
    if (!before) return;
    // The engine would take the last lines first and then drop those that are too new.
    const all = logStream(containers.engine, id, { ...during(before), timestamps: options.timestamps }, options.signal);
    yield* options.tail === undefined ? all : lastLines(all, options.tail);
    return;
  }
  const query = {
    timestamps: options.timestamps,
    follow: options.follow,
    ...during(lives.last(Id)),
    ...(options.tail !== undefined && { tail: String(options.tail) }),
  };
  yield* logStream(containers.engine, id, query, options.signal);
}

/** The end of what it said in a life, for a person who asks why; empty when it cannot be had. */
export async function lastWords(engine: Engine, id: string, life: Spoken | undefined): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    const query = { tail: String(LAST_LINES), ...during(life) };
    for await (const { data } of logStream(engine, id, query, AbortSignal.timeout(LOOK_TIMEOUT_MS))) chunks.push(data);
  } catch {
    return '';
  }
  const text = Buffer.concat(chunks).subarray(-LAST_BYTES).toString('utf8').replaceAll('\ufffd', '');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is taken out
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '').trim();
}

/** What the engine is asked for. */
const during = ({ since, until }: Spoken = { since: undefined }): Record<string, string> => ({
  ...(since !== undefined && { since }),
  ...(until !== undefined && { until }),
});

async function* logStream(engine: Engine, id: string, query: Record<string, unknown>, signal: AbortSignal): AsyncGenerator<LogChunk> {
  let answer: IncomingMessage;
  try {
    answer = await engine.open('GET', `/containers/${encodeURIComponent(id)}/logs`, {
      query: { stdout: true, stderr: true, ...query },
      signal,
    });
  } catch (error) {
    if (signal.aborted) return;
    throw unexpected(error);
  }
  try {
    yield* demux(answer);
  } catch (error) {
    if (!signal.aborted) throw outage(error);
  } finally {
    answer.destroy();
  }
}
