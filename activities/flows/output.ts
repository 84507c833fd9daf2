import type { Runtime } from '../runtimes/runtime.ts';

/** What is kept of what an instance said. */
const MAX_BYTES = 16 * 1024;
const MAX_LINES = 2_000;

/** The end of what an instance said on each stream. Which of two streams came first is not known. */
export async function outputOf(runtime: Runtime, id: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const tails = { stdout: new Tail(), stderr: new Tail() };
  const options = { follow: false, tail: MAX_LINES, previous: false, timestamps: false, signal: new AbortController().signal };
  for await (const { stream, data } of runtime.logs(id, options)) {
    tails[stream].add(data);
  }
  return { stdout: tails.stdout.text(), stderr: tails.stderr.text() };
}

/** A text as the `$( )` of a shell takes it: without the ends of lines behind it, so that it can stand in the next command. */
export function asWords(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n') end -= 1;
  return text.slice(0, end);
}

/** The last bytes of a stream, never half a character. */
class Tail {
  private kept = Buffer.alloc(0);

  add(data: Uint8Array): void {
    this.kept = Buffer.concat([this.kept, data]).subarray(-MAX_BYTES);
  }

  text(): string {
    let from = 0;
    while (this.kept.length === MAX_BYTES && from < 4 && ((this.kept[from] ?? 0) & 0xc0) === 0x80) from += 1;
    return this.kept.subarray(from).toString('utf8');
  }
}
