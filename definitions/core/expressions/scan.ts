/** A string literal, raw or not; three quotation marks before one. */
const STRING = /[bBrR]?("""(?:[^\\]|\\.)*?"""|'''(?:[^\\]|\\.)*?'''|"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*')/sy;
const WORD = /[A-Za-z0-9_]+/y;
/** The name of a component or step: a DNS label that nothing follows which could belong to it, and no call. */
const LABEL = /\.([a-z0-9](?:[-a-z0-9]*[a-z0-9])?)(?![A-Za-z0-9_(-])/y;
const LABELLED = new Set(['components', 'steps']);

const matchAt = (pattern: RegExp, text: string, index: number): RegExpExecArray | null => {
  pattern.lastIndex = index;
  return pattern.exec(text);
};

/** Where the piece ends that begins at an index: a string literal, a word, or one character. */
function pieceEnd(text: string, index: number): number {
  const match = matchAt(STRING, text, index) ?? matchAt(WORD, text, index);
  return index + (match?.[0].length ?? 1);
}

/** The index of the brace that closes an expression which begins at an index; undefined when none does. */
export function closingBrace(text: string, start: number): number | undefined {
  let open = 0;
  for (let index = start; index < text.length; index = pieceEnd(text, index)) {
    if (text[index] === '{') open += 1;
    if (text[index] === '}') {
      if (open === 0) return index;
      open -= 1;
    }
  }
  return undefined;
}

/** Takes the part between two indexes together with the parentheses that belong to it. */
export function balanced(text: string, start: number, end: number): string {
  let open = 0;
  let unopened = 0;
  for (let index = start; index < end; index = pieceEnd(text, index)) {
    if (text[index] === '(') open += 1;
    if (text[index] !== ')') continue;
    if (open > 0) open -= 1;
    else unopened += 1;
  }
  let from = start;
  let to = end;
  for (; unopened > 0 && from > 0; from -= 1) if (text[from - 1] === '(') unopened -= 1;
  for (; open > 0 && to < text.length; to += 1) if (text[to] === ')') open -= 1;
  return text.slice(from, to);
}

/** An expression in the words of CEL, of the same length, and what the names were that CEL could not read. */
export interface Masked {
  readonly text: string;
  /** By the index where the name begins. */
  readonly labels: ReadonlyMap<number, string>;
  /** Where a comment begins, if there is one. */
  readonly comment: number | undefined;
}

/**
 * Hides the names of components and steps from CEL, which would read `web-1` as a subtraction and `in` as an operator.
 *
 * Guarantees: every other character keeps its place, so that positions in errors are right.
 */
export function mask(text: string): Masked {
  const labels = new Map<number, string>();
  let masked = '';
  let before = '';
  for (let index = 0; index < text.length; ) {
    if (text.startsWith('//', index)) return { text, labels, comment: index };
    const end = pieceEnd(text, index);
    const piece = text.slice(index, end);
    masked += piece;
    const label = LABELLED.has(piece) && before !== '.' ? matchAt(LABEL, text, end)?.[1] : undefined;
    if (label) {
      labels.set(end + 1, label);
      masked += `.${'_'.repeat(label.length)}`;
    }
    if (piece.trim() !== '') before = piece;
    index = end + (label ? label.length + 1 : 0);
  }
  return { text: masked, labels, comment: undefined };
}
