/** A frame of HTTP/2 (RFC 9113, section 4). */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

export const type = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8 } as const;
export const flag = { endStream: 0x1, ack: 0x1, endHeaders: 0x4, padded: 0x8 } as const;
export const FRAME_HEAD_BYTES = 9;

/** The most that a server must take in one frame, and the window that it grants before we know better. */
const MAX_FRAME_BYTES = 16_384;
const MAX_WINDOW = 2 ** 31 - 1;
const DEFAULT_WINDOW = 65_535;
const ENABLE_PUSH = 2;
const INITIAL_WINDOW_SIZE = 4;

/** Places in HPACK's static table (RFC 7541, appendix A). */
const METHOD_POST = 0x83;
const SCHEME_HTTP = 0x86;
const KNOWN_NAMES: Readonly<Record<string, number>> = { ':authority': 1, ':path': 4, 'content-type': 31 };

function frame({ type, flags, stream, payload }: Frame): Buffer {
  if (payload.length > MAX_FRAME_BYTES) throw new RangeError('a request of this size does not fit into one frame');
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** The first frame of the bytes; undefined until it is there as a whole. */
export function frameIn(bytes: Buffer): Frame | undefined {
  if (bytes.length < FRAME_HEAD_BYTES) return undefined;
  const end = FRAME_HEAD_BYTES + bytes.readUIntBE(0, 3);
  if (bytes.length < end) return undefined;
  return {
    type: bytes[3] ?? 0,
    flags: bytes[4] ?? 0,
    stream: bytes.readUInt32BE(5) % 2 ** 31,
    payload: bytes.subarray(FRAME_HEAD_BYTES, end),
  };
}

/** What a client says first: who it is, and that it takes as much as comes. */
export const opening = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  frame({
    type: type.settings,
    flags: 0,
    stream: 0,
    payload: Buffer.concat([setting(ENABLE_PUSH, 0), setting(INITIAL_WINDOW_SIZE, MAX_WINDOW)]),
  }),
  frame({ type: type.windowUpdate, flags: 0, stream: 0, payload: uint32(MAX_WINDOW - DEFAULT_WINDOW) }),
]);

export const settingsAck = frame({ type: type.settings, flags: flag.ack, stream: 0, payload: Buffer.alloc(0) });
export const pong = (payload: Buffer): Buffer => frame({ type: type.ping, flags: flag.ack, stream: 0, payload });

/** A POST. Nothing is put into the server's table, so every request can be written alike. */
export function headersFrame(stream: number, headers: readonly (readonly [name: string, value: string])[]): Buffer {
  const block = [Buffer.from([METHOD_POST, SCHEME_HTTP]), ...headers.map(([name, value]) => Buffer.concat([nameOf(name), text(value)]))];
  return frame({ type: type.headers, flags: flag.endHeaders, stream, payload: Buffer.concat(block) });
}

/** The whole body. */
export const dataFrame = (stream: number, payload: Buffer): Buffer => frame({ type: type.data, flags: flag.endStream, stream, payload });

function nameOf(name: string): Buffer {
  const known = KNOWN_NAMES[name];
  return known === undefined ? Buffer.concat([Buffer.from([0]), text(name)]) : integer(known, 4);
}

const text = (value: string): Buffer => Buffer.concat([integer(Buffer.byteLength(value), 7), Buffer.from(value)]);

/** HPACK's number that begins in the low bits of a byte. */
function integer(value: number, bits: number): Buffer {
  const limit = 2 ** bits - 1;
  if (value < limit) return Buffer.from([value]);
  const bytes = [limit];
  let rest = value - limit;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 0x80);
  return Buffer.from([...bytes, rest]);
}

function setting(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUInt16BE(id, 0);
  bytes.writeUInt32BE(value, 2);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value, 0);
  return bytes;
}
