import { logFile, readPart, sizeOf } from './log-files.ts';
import type { Place } from './place.ts';

const MAX_LINES = 10;
const MAX_BYTES = 1024;

/** The last lines of a run, of stderr if it said anything there; at most 1 kB. */
export function lastWords(place: Place, run: number): string {
  return lastLines(logFile(place, run, 'stderr')) || lastLines(logFile(place, run, 'stdout'));
}

function lastLines(path: string): string {
  const size = sizeOf(path);
  const text = Buffer.from(readPart(path, Math.max(0, size - MAX_BYTES), MAX_BYTES)).toString('utf8');
  const lines = text.trimEnd().split('\n');
  // The first line may have lost its beginning, even in the middle of a character.
  const whole = size > MAX_BYTES && lines.length > 1 ? lines.slice(1) : lines;
  return whole
    .slice(-MAX_LINES)
    .join('\n')
    .replace(/^\uFFFD+/, '');
}
