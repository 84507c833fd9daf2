const NEWLINE = 0x0a;
/** A line without end is printed in pieces. */
const MAX_LINE_BYTES = 256 * 1024;

/** Cuts pieces of output into whole lines, so that those of several instances do not mix. */
export class LogLines {
  #rest: Buffer = Buffer.alloc(0);

  /** The lines that are whole now, without their ends. */
  push(piece: Uint8Array): readonly string[] {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, piece]) : Buffer.from(piece);
    const lines: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      lines.push(lineOf(bytes.subarray(start, end)));
      start = end + 1;
    }
    this.#rest = bytes.subarray(start);
    if (this.#rest.length > MAX_LINE_BYTES) lines.push(...this.end());
    return lines;
  }

  /** What came after the last line's end. */
  end(): readonly string[] {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    return rest.length > 0 ? [lineOf(rest)] : [];
  }
}

const lineOf = (bytes: Buffer): string => bytes.toString('utf8').replace(/\r$/, '');
