import { UsageError } from '../usage-error.ts';

/** A kind as the person spelled it, and perhaps a name. */
export interface Wanted {
  readonly kind: string;
  readonly name?: string;
}

/** A resource as the person spelled it. */
export interface WantedOne extends Wanted {
  readonly name: string;
}

/** Reads `KIND`, `KIND,KIND`, `KIND NAME…` and `KIND/NAME KIND/NAME…`. */
export function parseTargets(words: readonly string[]): readonly Wanted[] {
  const [first, ...names] = words;
  if (first === undefined) throw new UsageError('which kind? Say KIND, KIND NAME or KIND/NAME', 'Known kinds: colony kinds');
  if (words.some((word) => word.includes('/'))) return words.map(slashed);
  const kinds = first.split(',').filter((kind) => kind !== '');
  if (kinds.length === 0) throw new UsageError(`${JSON.stringify(first)} names no kind`);
  if (names.length === 0) return kinds.map((kind) => ({ kind }));
  return kinds.flatMap((kind) => names.map((name) => ({ kind, name })));
}

/** As `parseTargets`, for commands that act on resources by name. */
export function parseNamed(words: readonly string[]): readonly WantedOne[] {
  return parseTargets(words).map((wanted) => {
    if (wanted.name === undefined) throw new UsageError(`which ${wanted.kind}? Say ${wanted.kind}/NAME`);
    return { kind: wanted.kind, name: wanted.name };
  });
}

/** As `parseNamed`, for commands that take exactly one. */
export function parseOne(words: readonly string[]): WantedOne {
  const [one, ...more] = parseNamed(words);
  if (!one || more.length > 0) throw new UsageError('this command takes one resource: KIND/NAME');
  return one;
}

function slashed(word: string): WantedOne {
  const [kind, name, ...rest] = word.split('/');
  if (!kind || !name || rest.length > 0) {
    throw new UsageError(`${JSON.stringify(word)} is not KIND/NAME`, 'When one word is KIND/NAME, all must be.');
  }
  return { kind, name };
}
