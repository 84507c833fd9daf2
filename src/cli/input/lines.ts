import type { LineOf } from './document.ts';

/** Finds lines in a part of a file. Guarantees: the text is read when somebody first asks, and once. */
export function finderOf(text: string, lineOffset: number): () => Promise<LineOf> {
  let finder: Promise<LineOf> | undefined;
  return () => {
    finder ??= read(text, lineOffset);
    return finder;
  };
}

async function read(text: string, lineOffset: number): Promise<LineOf> {
  const { linesIn } = await import('./yaml.ts');
  try {
    const lineOf = linesIn(text);
    return (path) => {
      const line = lineOf(path);
      return line === undefined ? undefined : line + lineOffset;
    };
  } catch (error) {
    if (error instanceof RangeError) return () => undefined; // nested deeper than can be read
    throw error;
  }
}
