import { setTimeout as pause } from 'node:timers/promises';
import type { LogChunk, LogOptions } from '../runtime.ts';
import { logFile, readPart, sizeOf, streams } from './log-files.ts';
import type { Place } from './place.ts';
import { readRun, runNumbers } from './run.ts';

const PART = 64 * 1024;
const LOOK_EVERY_MS = 200;
const NEWLINE = 10;

/**
 * What a run said, stdout and stderr each in order. Following ends with the run, after its last word, or by the signal.
 *
 * Caveats: `tail` counts the lines of each stream; `timestamps` are not known, as a process writes to its files itself.
 */
export async function* readLogs(place: Place, { follow, tail, previous, signal }: LogOptions): AsyncGenerator<LogChunk> {
  const run = runNumbers(place).at(previous ? -2 : -1);
  if (run === undefined) return;
  const readers = streams.map((stream) => ({ stream, position: beginning(logFile(place, run, stream), tail) }));
  while (!signal.aborted) {
    const isLast = !follow || previous || readRun(place, run).state === 'ended';
    for (const reader of readers) {
      for (;;) {
        const { data, next } = readOn(logFile(place, run, reader.stream), reader.position);
        if (signal.aborted) return;
        if (data.length > 0) yield { stream: reader.stream, data };
        if (data.length === 0 && next === reader.position) break;
        reader.position = next;
      }
    }
    if (isLast) return;
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** In the file as it is now (0), or in one that was cut off before (1 is the youngest). */
interface Position {
  readonly file: number;
  readonly offset: number;
}

const numbered = (path: string, file: number): string => (file === 0 ? path : `${path}.${file}`);

function readOn(path: string, position: Position): { readonly data: Uint8Array; readonly next: Position } {
  const { file, offset } = position;
  // It was cut while somebody read it: the rest is in the youngest of the old ones.
  if (file === 0 && sizeOf(path) < offset) return { data: new Uint8Array(), next: { file: 1, offset } };
  const data = readPart(numbered(path, file), offset, PART);
  if (data.length > 0) return { data, next: { file, offset: offset + data.length } };
  return { data, next: file === 0 ? position : { file: file - 1, offset: 0 } };
}

/** Where the last `lines` lines begin; without a number, where the oldest kept file does. */
function beginning(path: string, lines: number | undefined): Position {
  let left = lines ?? Number.POSITIVE_INFINITY;
  if (left <= 0) return { file: 0, offset: sizeOf(path) };
  let isLastByte = true;
  for (let file = 0; ; file++) {
    const size = sizeOf(numbered(path, file));
    for (let end = size; end > 0 && Number.isFinite(left); end -= PART) {
      const start = Math.max(0, end - PART);
      const part = readPart(numbered(path, file), start, end - start);
      for (let at = part.length - 1; at >= 0; at--) {
        const beginsLine = part[at] === NEWLINE && !isLastByte;
        isLastByte = false;
        if (beginsLine) left -= 1;
        if (left === 0) return { file, offset: start + at + 1 };
      }
    }
    if (sizeOf(numbered(path, file + 1)) === 0) return { file, offset: 0 };
  }
}
