import { setTimeout as wait } from 'node:timers/promises';
import { paint } from '../cli/colour.ts';
import type { Io } from '../cli/io.ts';

const WIDTH = 80;
const INDENT = '   ';

/** Tells the tour: titles, what happens, commands and what they print; never wider than 80 columns. */
export class Teller {
  #step = 0;

  constructor(
    private readonly io: Io,
    private readonly options: { readonly fast: boolean; readonly signal: AbortSignal },
  ) {}

  title(text: string): void {
    this.io.out(`\n${paint(this.io, 'bold', text)}\n${'─'.repeat(text.length)}\n`);
  }

  /** Begins a step. */
  async step(title: string, ...story: readonly string[]): Promise<void> {
    await this.pause(this.#step === 0 ? 0 : 1.5);
    this.#step += 1;
    this.io.out(`\n${paint(this.io, 'bold', `${this.#step}. ${title}`)}\n`);
    for (const text of story) this.story(text);
    await this.pause(0.5 + story.join(' ').length / 80);
  }

  story(text: string): void {
    for (const line of fold(text, WIDTH - INDENT.length)) this.io.out(`${INDENT}${line}\n`);
  }

  /** What a person would type. */
  command(text: string): void {
    this.io.out(`\n${INDENT}${paint(this.io, 'green', '$')} ${paint(this.io, 'bold', text)}\n`);
  }

  /** What came of it. */
  output(text: string): void {
    for (const line of text.trimEnd().split('\n')) {
      for (const part of fold(line, WIDTH - INDENT.length)) this.io.out(`${INDENT}${paint(this.io, 'dim', part)}\n`);
    }
  }

  /** Time to read. */
  async pause(seconds: number): Promise<void> {
    if (!this.options.fast) await wait(seconds * 1_000, undefined, { signal: this.options.signal });
    this.options.signal.throwIfAborted();
  }
}

/** Breaks at blanks where there are some; what was in columns stays in columns. */
export function fold(line: string, width: number): string[] {
  const parts: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const blank = rest.lastIndexOf(' ', width);
    const at = blank > width / 2 ? blank : width;
    parts.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  return [...parts, rest];
}
