/** What a frame carries; the number is its first byte. */
const STREAMS = ['stdin', 'stdout', 'stderr', 'resize', 'exit', 'error', 'request', 'endInput'] as const;

export type StreamName = (typeof STREAMS)[number];

/** One piece of a stream that several share one connection: `[1 byte stream][4 byte length, big-endian][data]`. */
export interface Frame {
  readonly stream: StreamName;
  readonly data: Buffer;
}

const HEADER_BYTES = 5;
/** Longer data travels in several frames; a longer frame is nobody's we know. */
export const MAX_FRAME_BYTES = 1024 * 1024;

/** The bytes of as many frames as the data needs; none of it may be an object that must arrive whole unless it is small. */
export function frame(stream: StreamName, data: Uint8Array = Buffer.alloc(0)): Buffer {
  const parts: Uint8Array[] = [];
  for (let at = 0; at === 0 || at < data.length; at += MAX_FRAME_BYTES) {
    const piece = data.subarray(at, at + MAX_FRAME_BYTES);
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt8(STREAMS.indexOf(stream), 0);
    header.writeUInt32BE(piece.length, 1);
    parts.push(header, piece);
  }
  return Buffer.concat(parts);
}

/** A frame that holds a JSON object. */
export const jsonFrame = (stream: StreamName, value: object): Buffer => frame(stream, Buffer.from(JSON.stringify(value)));

/** What `jsonFrame` packed. Throws a one-sentence error for what is no JSON object. */
export function jsonIn<T extends object>({ stream, data }: Frame): T {
  try {
    const value: unknown = JSON.parse(data.toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as T;
  } catch {
    // said below
  }
  throw new Error(`the ${stream} frame holds no JSON object`);
}

/** Finds the frames in pieces of bytes, wherever those were cut. Throws a one-sentence error for what are no frames. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  /** True in the middle of a frame: an end here is a loss. */
  get isBroken(): boolean {
    return this.#rest.length > 0;
  }

  push(piece: Buffer): Frame[] {
    let bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, piece]) : piece;
    const frames: Frame[] = [];
    while (bytes.length >= HEADER_BYTES) {
      const stream = STREAMS[bytes.readUInt8(0)];
      const length = bytes.readUInt32BE(1);
      if (!stream || length > MAX_FRAME_BYTES) throw new Error('what came over the connection are no frames');
      if (bytes.length < HEADER_BYTES + length) break;
      frames.push({ stream, data: bytes.subarray(HEADER_BYTES, HEADER_BYTES + length) });
      bytes = bytes.subarray(HEADER_BYTES + length);
    }
    this.#rest = bytes;
    return frames;
  }
}
