import type { Io } from './io.ts';

const CODES = { red: 31, green: 32, yellow: 33, bold: 1, dim: 2 } as const;

export type Colour = keyof typeof CODES;

/** Colours for a terminal, the bare text for everything else. */
export function paint({ colour }: Pick<Io, 'colour'>, name: Colour, text: string): string {
  return colour ? `\u001b[${CODES[name]}m${text}\u001b[0m` : text;
}
