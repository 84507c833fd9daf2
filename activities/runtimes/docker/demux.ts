import type { LogChunk } from '../runtime.ts';

const HEADER = 8;

/**
 * Takes the two streams apart that an engine sends as one: frames of a stream number, a length and the data.
 *
 * Guarantees: chunks come in order, whatever the pieces in which the bytes arrive; a frame cut off at the end still gives what came of it.
 */
export async function* demux(source: AsyncIterable<Uint8Array>): AsyncGenerator<LogChunk> {
  let rest: Buffer = Buffer.alloc(0);
  let stream: LogChunk['stream'] = 'stdout';
  /** Of the frame under way. */
  let missing = 0;
  for await (const piece of source) {
    rest = rest.length === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece]);
    while (rest.length > 0) {
      if (missing === 0) {
        if (rest.length < HEADER) break;
        stream = rest[0] === 2 ? 'stderr' : 'stdout';
        missing = rest.readUInt32BE(4);
        rest = rest.subarray(HEADER);
        continue;
      }
      const data = rest.subarray(0, missing);
      missing -= data.length;
      rest = rest.subarray(data.length);
      yield { stream, data };
    }
  }
}
