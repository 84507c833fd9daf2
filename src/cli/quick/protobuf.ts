/** The few wire types that Temporal's messages use here; fields that nobody asks for are passed over. */
const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** One field of a message as it stands on the wire. */
export interface Field {
  readonly number: number;
  /** A varint's value; 0 for other types. */
  readonly value: number;
  /** The bytes of a string or message; empty for other types. */
  readonly bytes: Buffer;
}

/** Takes a message apart. Throws RangeError on what is no message. */
export function* fieldsOf(message: Buffer): Generator<Field> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = message[at++];
      if (byte === undefined) throw new RangeError('the message ends within a number');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > message.length) throw new RangeError('the message ends within a field');
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const key = varint();
    const number = Math.floor(key / 8);
    const type = key % 8;
    if (type === VARINT) yield { number, value: varint(), bytes: NOTHING };
    else if (type === BYTES) yield { number, value: 0, bytes: take(varint()) };
    else if (type === FIXED64) take(8);
    else if (type === FIXED32) take(4);
    else throw new RangeError(`wire type ${type} is not known`);
  }
}

const NOTHING = Buffer.alloc(0);

/** A string, bytes or message field. */
export function bytesField(number: number, content: string | Buffer): Buffer {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return Buffer.concat([varintOf(number * 8 + BYTES), varintOf(bytes.length), bytes]);
}

/** A number field. */
export const numberField = (number: number, value: number): Buffer => Buffer.concat([varintOf(number * 8 + VARINT), varintOf(value)]);

function varintOf(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 0x80);
  return Buffer.from([...bytes, rest]);
}
