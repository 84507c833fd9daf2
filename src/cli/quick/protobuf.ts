/** The few wire types that Temporal's messages use here; fields that nobody asks for are passed over. */
const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/**
 * The fields of a message, one after the other: `next` goes on to the next one, and what it holds stands in the cursor until then.
 * A cursor and no objects, because a table of resources has a thousand fields and is read by code that has not warmed up.
 */
export class Fields {
  number = 0;
  /** A varint's value; 0 for other types. */
  value = 0;
  /** Where the bytes of a string or message begin and end; the same for other types. */
  start = 0;
  end = 0;

  constructor(
    readonly bytes: Buffer,
    private at = 0,
    private readonly limit = bytes.length,
  ) {}

  /** False at the end of the message. Throws RangeError on what is no message. */
  next(): boolean {
    while (this.at < this.limit) {
      const key = this.varint();
      this.number = Math.floor(key / 8);
      this.value = 0;
      this.start = this.end = this.at;
      switch (key % 8) {
        case VARINT:
          this.value = this.varint();
          return true;
        case BYTES:
          this.skip(this.varint());
          return true;
        case FIXED64:
          this.skip(8);
          break;
        case FIXED32:
          this.skip(4);
          break;
        default:
          throw new RangeError(`wire type ${key % 8} is not known`);
      }
    }
    return false;
  }

  text(): string {
    return this.bytes.toString('utf8', this.start, this.end);
  }

  /** The fields of the message that this field holds. */
  inside(): Fields {
    return new Fields(this.bytes, this.start, this.end);
  }

  private varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      if (this.at >= this.limit) throw new RangeError('the message ends within a number');
      const byte = this.bytes[this.at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  private skip(length: number): void {
    this.start = this.at;
    this.end = this.at = this.at + length;
    if (this.at > this.limit) throw new RangeError('the message ends within a field');
  }
}

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
