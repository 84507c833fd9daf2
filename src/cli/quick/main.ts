import { writeSync } from 'node:fs';
import { processIo } from '../io.ts';
import { type Answer, quickly } from './quickly.ts';

const STDOUT = 1;
const STDERR = 2;

/**
 * The way of a plain `colony get`: prints the answer and ends the process. False when the usual way must be taken; nothing was
 * printed then. `isWanted` is asked while the server thinks; an answer that is not wanted is not printed.
 */
export async function quick(argv: readonly string[], isWanted: () => boolean = () => true): Promise<boolean> {
  let wanted: boolean | undefined;
  const ask = (): boolean => {
    wanted ??= isWanted();
    return wanted;
  };
  const answer = await quickly(argv, processIo(), ask);
  if (!answer || !ask()) return false;
  print(answer);
  return true;
}

/** Written directly, because opening the streams takes longer; they are opened only for a reader that cannot take it all at once. */
function print({ out, err }: Answer): void {
  const rest = { out: written(STDOUT, out), err: written(STDERR, err) };
  if (rest.out.length + rest.err.length === 0) process.exit(0);
  process.stderr.write(rest.err);
  process.stdout.on('error', () => process.exit(0)).write(rest.out, () => process.exit(0));
}

/** Answers with what could not be written. */
function written(stream: number, text: string): Buffer {
  let bytes = Buffer.from(text);
  try {
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(stream, bytes));
  } catch {
    // A pipe that is full or closed; the stream knows what to do.
  }
  return bytes;
}
