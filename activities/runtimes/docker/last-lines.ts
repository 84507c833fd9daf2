import type { LogChunk } from '../runtime.ts';

/** Only the last lines of a stream that ends. */
export async function* lastLines(source: AsyncIterable<LogChunk>, count: number): AsyncGenerator<LogChunk> {
  // The engine sends one frame per line (or per piece of an overlong one, which then counts as several).
  const kept: LogChunk[] = [];
  for await (const chunk of source) {
    kept.push(chunk);
    if (kept.length > count) kept.shift();
  }
  if (count > 0) yield* kept;
}
