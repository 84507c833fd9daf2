/** What is written for people keeps to this, whatever the terminal. */
export const WIDTH = 80;

/** Breaks a sentence into lines of at most 80 characters, later ones indented; words longer than that stay whole. */
export function wrap(
  text: string,
  { indent = 0, first = indent, width = WIDTH }: { indent?: number; first?: number; width?: number } = {},
): string {
  const lines: string[] = [];
  let line = '';
  let room = width - first;
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line);
      line = '';
      room = width - indent;
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`);
}
