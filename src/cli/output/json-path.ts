/** One way down into a value: a field, an index, all elements, or the elements that match. */
type Move =
  | { readonly move: 'field'; readonly name: string }
  | { readonly move: 'index'; readonly index: number }
  | { readonly move: 'all' }
  | { readonly move: 'filter'; readonly path: readonly Move[]; readonly operator: string; readonly wanted: unknown };

const FIELD = /^\.?([\p{L}\p{N}_$-]+)/u;
const QUOTED = /^\[\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*\]/;
const INDEX = /^\[\s*(-?\d+)\s*\]/;
const ALL = /^(?:\[\s*\*\s*\]|\.\*)/;
const FILTER = /^\[\?\(\s*@((?:\.[\p{L}\p{N}_$-]+|\['[^']*'\])*)\s*(?:(==|!=|>=|<=|>|<)\s*('[^']*'|"[^"]*"|[^\s)]+)\s*)?\)\]/u;

const cache = new Map<string, readonly Move[]>();

/**
 * Evaluates the small JSON path that printer columns use: `.spec.a`, `['x.y/z']`, `[0]`, `[*]`, `.conditions[?(@.type=="Ready")].status`.
 *
 * Guarantees: never throws on a value; several matches come as a list, none as undefined.
 */
export function evaluate(path: string, value: unknown): unknown {
  const moves = cache.get(path) ?? parse(path);
  cache.set(path, moves);
  const found = follow(moves, value);
  return found.length > 1 ? found : found[0];
}

/** Reads a path; throws a one-sentence error when it is not of the small language. */
export function parse(path: string): readonly Move[] {
  const moves: Move[] = [];
  let rest = path
    .trim()
    .replace(/^\{(.*)\}$/, '$1')
    .replace(/^\$/, '');
  while (rest !== '' && rest !== '.') {
    const [move, length] = next(rest);
    if (!move) throw new Error(`the path ${JSON.stringify(path)} cannot be read from ${JSON.stringify(rest)} on`);
    moves.push(move);
    rest = rest.slice(length);
  }
  return moves;
}

function next(rest: string): [Move | undefined, number] {
  const all = ALL.exec(rest);
  if (all) return [{ move: 'all' }, all[0].length];
  const field = FIELD.exec(rest);
  if (field) return [{ move: 'field', name: field[1] ?? '' }, field[0].length];
  const quoted = QUOTED.exec(rest);
  if (quoted) return [{ move: 'field', name: (quoted[1] ?? quoted[2] ?? '').replace(/\\(.)/g, '$1') }, quoted[0].length];
  const index = INDEX.exec(rest);
  if (index) return [{ move: 'index', index: Number(index[1]) }, index[0].length];
  const filter = FILTER.exec(rest);
  if (!filter) return [undefined, 0];
  const [whole, path = '', operator = 'exists', literal] = filter;
  return [{ move: 'filter', path: parse(path), operator, wanted: literal === undefined ? undefined : literalOf(literal) }, whole.length];
}

function literalOf(text: string): unknown {
  if (/^(['"]).*\1$/.test(text)) return text.slice(1, -1);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function follow(moves: readonly Move[], start: unknown): unknown[] {
  let found = [start];
  for (const move of moves) found = found.flatMap((value) => step(move, value)).filter((value) => value !== undefined);
  return found;
}

function step(move: Move, value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const record = value as Readonly<Record<string, unknown>>;
  switch (move.move) {
    case 'field':
      return Object.hasOwn(record, move.name) ? [record[move.name]] : [];
    case 'index':
      return Array.isArray(value) ? [value.at(move.index)] : [];
    case 'all':
      return Array.isArray(value) ? value : Object.values(record);
    case 'filter':
      return (Array.isArray(value) ? value : []).filter((item) => matches(move, follow(move.path, item)[0]));
  }
}

function matches({ operator, wanted }: Extract<Move, { move: 'filter' }>, actual: unknown): boolean {
  if (operator === 'exists') return actual !== undefined;
  if (operator === '==') return actual === wanted;
  if (operator === '!=') return actual !== wanted;
  if (typeof actual !== typeof wanted || (typeof actual !== 'number' && typeof actual !== 'string')) return false;
  const sign = actual < (wanted as typeof actual) ? -1 : actual > (wanted as typeof actual) ? 1 : 0;
  return operator === '>' ? sign > 0 : operator === '<' ? sign < 0 : operator === '>=' ? sign >= 0 : sign <= 0;
}
