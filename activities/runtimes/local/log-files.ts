import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { LogChunk } from '../runtime.ts';
import type { Place } from './place.ts';
import { readIfThere } from './read-if-there.ts';

export const streams = ['stdout', 'stderr'] as const satisfies readonly LogChunk['stream'][];

/** Where a run writes to; what was cut off before is in `.1`, what was cut off before that in `.2`, and so on. */
export const logFile = (place: Place, run: number, stream: LogChunk['stream']): string => join(place.logs, `${run}.${stream}`);

export const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Up to `length` bytes; none when the file is not there or ends before. */
export function readPart(path: string, offset: number, length: number): Uint8Array {
  const file = readIfThere(() => openSync(path, 'r'));
  if (file === undefined) return new Uint8Array();
  try {
    const part = Buffer.allocUnsafe(Math.max(0, Math.min(length, fstatSync(file).size - offset)));
    return part.subarray(0, readSync(file, part, 0, part.length, offset));
  } finally {
    closeSync(file);
  }
}
