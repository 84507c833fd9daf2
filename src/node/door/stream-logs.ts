import type { ServerResponse } from 'node:http';
import type { LogOptions, Runtime } from '../../../activities/runtimes/runtime.ts';
import { drained } from './drained.ts';
import { problemOf, Refusal } from './failures.ts';
import { frame, jsonFrame } from './frames.ts';

/** Streams what an instance says until it is all said or the reader is gone. What fails before the first word fails as a plain answer. */
export async function streamLogs(runtime: Runtime, id: string, query: URLSearchParams, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const chunks = runtime.logs(id, { ...logOptions(query), signal: gone.signal })[Symbol.asyncIterator]();
  let next = await chunks.next();
  response.writeHead(200, { 'content-type': 'application/vnd.colony.frames' });
  try {
    for (; !next.done && !gone.signal.aborted; next = await chunks.next()) {
      response.write(frame(next.value.stream, next.value.data));
      await drained(response);
    }
  } catch (error) {
    if (!gone.signal.aborted) response.write(jsonFrame('error', problemOf(error).problem));
  } finally {
    await chunks.return?.();
    response.end();
  }
}

/** Reads `?follow&tail=20&previous&timestamps`; a flag is set when it is there and is not `false`. */
export function logOptions(query: URLSearchParams): Omit<LogOptions, 'signal'> {
  const has = (name: string): boolean => query.has(name) && query.get(name) !== 'false' && query.get(name) !== '0';
  const tail = query.get('tail');
  if (tail !== null && !/^\d{1,9}$/.test(tail))
    throw new Refusal(400, 'BadRequest', `tail is ${JSON.stringify(tail)}; it must be a number of lines`);
  return {
    follow: has('follow'),
    previous: has('previous'),
    timestamps: has('timestamps'),
    ...(tail === null ? {} : { tail: Number(tail) }),
  };
}
