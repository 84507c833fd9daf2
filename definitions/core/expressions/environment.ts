import { Environment } from '@marcbachmann/cel-js';
import { compilePattern } from '../json-schema/pattern.ts';
import { bounded } from './bounded-cache.ts';

/** What `matches` is called inside, because the library's own one runs patterns that may never end. */
export const LINEAR_MATCHES = 'linearMatches';
/** The methods that run an expression for each element of a list or key of an object. */
export const MACROS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'filter', 'map']);
/** Everything else that the library knows (bytes, times, types) has no place in JSON and is refused. */
export const FUNCTIONS: readonly string[] = ['bool', 'double', 'dyn', 'has', 'int', 'size', 'string'];
export const METHODS: readonly string[] = [
  ...MACROS,
  'contains',
  'endsWith',
  'indexOf',
  'join',
  'lastIndexOf',
  'lowerAscii',
  'matches',
  'size',
  'split',
  'startsWith',
  'substring',
  'trim',
  'upperAscii',
].sort();

/** The patterns of `matches`, in linear time. */
export const patternOf = bounded(200, compilePattern);

function matches(text: string, source: string): boolean {
  const pattern = patternOf(source);
  return 'test' in pattern && pattern.test(text);
}

/**
 * CEL for JSON: names are dynamic, lists may be mixed, whole and broken numbers may meet in arithmetic and comparison
 * (the result is then a broken one, as in JSON there is no difference), and patterns take linear time.
 */
export const environment = new Environment({
  unlistedVariablesAreDyn: true,
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: 512, maxDepth: 64, maxListElements: 256, maxMapEntries: 128, maxCallArguments: 4 },
})
  .registerFunction(`string.${LINEAR_MATCHES}(string): bool`, matches, { async: false })
  .registerOperator('int == double', (a: bigint, b: number) => Number(a) === b)
  .registerOperator('int + double: double', (a: bigint, b: number) => Number(a) + b)
  .registerOperator('double + int: double', (a: number, b: bigint) => a + Number(b))
  .registerOperator('int - double: double', (a: bigint, b: number) => Number(a) - b)
  .registerOperator('double - int: double', (a: number, b: bigint) => a - Number(b))
  .registerOperator('int * double: double', (a: bigint, b: number) => Number(a) * b)
  .registerOperator('double * int: double', (a: number, b: bigint) => a * Number(b))
  .registerOperator('int / double: double', (a: bigint, b: number) => Number(a) / b)
  .registerOperator('double / int: double', (a: number, b: bigint) => a / Number(b));
