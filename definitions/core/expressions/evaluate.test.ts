import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate, readExpression, type Scope, test } from './index.ts';

const values = {
  params: { n: 3, half: 0.5, two: 2, name: 'web', on: true, off: false, list: [1, 2.5, 3], tags: ['a', 'b'], none: null, empty: [] },
  components: {
    db: { status: { endpoint: 'db:5432', port: 5432, ports: [{ name: 'sql' }, { name: 'admin' }] } },
    'web-1': { status: { x: 7 } },
    in: { status: { x: 1 } },
    '9lives': { status: { x: 2 } },
  },
  steps: { 'extract-data': { outputs: { n: 40 } } },
};
const scope: Scope = { values };

describe('evaluate', () => {
  it.each([
    { text: 'params.n + 1', value: 4 },
    { text: 'params.n - 1', value: 2 },
    { text: 'params.n-1', value: 2 },
    { text: 'params.n > 2', value: true },
    { text: 'size(params.list) == params.n', value: true },
    { text: '1.5 * params.n', value: 4.5 },
    { text: 'params.n * params.half', value: 1.5 },
    { text: 'params.half + params.n', value: 3.5 },
    { text: 'params.n - params.half', value: 2.5 },
    { text: 'params.half - 1', value: -0.5 },
    { text: 'params.n / params.half', value: 6 },
    { text: 'params.half / params.two', value: 0.25 },
    { text: 'params.n / 2', value: 1 },
    { text: 'params.n == 3.0', value: true },
    { text: '3.0 == params.n', value: true },
    { text: '1 == 1.0', value: true },
    { text: 'params.n != 3.5', value: true },
    { text: 'params.half < params.n', value: true },
    { text: 'params.n <= 3.0', value: true },
    { text: 'params.n in params.list', value: true },
    { text: '2.5 in params.list', value: true },
    { text: 'params.list.map(x, x * 2)', value: [2, 5, 6] },
    {
      text: 'params.list.map(x, params.tags.map(t, t + string(x)))',
      value: [
        ['a1', 'b1'],
        ['a2.5', 'b2.5'],
        ['a3', 'b3'],
      ],
    },
    { text: '"http://" + components.db.status.endpoint', value: 'http://db:5432' },
    { text: 'params.name + "-" + string(params.n)', value: 'web-3' },
    { text: 'params.tags.join(",")', value: 'a,b' },
    { text: 'params.name.matches("^w[a-z]+$")', value: true },
    { text: 'components.db.status.ports.exists(p, p.name == "sql")', value: true },
    { text: 'components.db.status.ports[1].name', value: 'admin' },
    { text: 'params["name"]', value: 'web' },
    { text: 'components.db.status.port', value: 5432 },
    { text: '{"port": components.db.status.port}', value: { port: 5432 } },
    { text: 'params.on ? dyn(1) : "one"', value: 1 },
    { text: 'params.name == 3', value: false },
    { text: 'null', value: null },
    { text: '${params.n}', value: 3 },
    { text: ' ${ {"a": params.n}.a > 2 } ', value: true },
  ])('$text is $value', ({ text, value }) => expect(evaluate(text, scope)).toEqual({ value }));

  describe('names with dashes', () => {
    it.each([
      { text: 'components.web-1.status.x', value: 7 },
      { text: 'components.web-1.status.x-1', value: 6 },
      { text: 'components["web-1"].status.x', value: 7 },
      { text: 'has(components.web-1.status.x)', value: true },
      { text: 'steps.extract-data.outputs.n > 10', value: true },
      { text: 'components.in.status.x + components.9lives.status.x', value: 3 },
      { text: 'params.list.all(x, x < components.web-1.status.x)', value: true },
      { text: '"components.web-1.status.x"', value: 'components.web-1.status.x' },
      { text: 'size(components)', value: 4 },
      { text: 'components.size()', value: 4 },
    ])('$text is $value', ({ text, value }) => expect(evaluate(text, scope)).toEqual({ value }));

    it('are not read after other names', () =>
      expect(evaluate('item.components.web-1', { values: { item: { components: { web: 5 } } } })).toEqual({ value: 4 }));
  });

  describe('what is missing', () => {
    it.each([
      { text: 'components.db.status.url', missing: ['components.db.status.url'] },
      { text: 'components.cache.status.url', missing: ['components.cache.status.url'] },
      { text: 'params.none', missing: ['params.none'] },
      { text: '"x" + components.db.status.url', missing: ['components.db.status.url'] },
      { text: 'params.a + params.n * params.b', missing: ['params.a', 'params.b'] },
      { text: '[params.a, params.b, params.a].size()', missing: ['params.a', 'params.b'] },
      { text: 'params.on || params.a', value: true },
      { text: 'params.a || params.on', value: true },
      { text: 'params.a && params.off', value: false },
      { text: 'params.a && params.on', missing: ['params.a'] },
      { text: 'params.a || params.b', missing: ['params.a', 'params.b'] },
      { text: '(params.on || params.a) && params.b', missing: ['params.b'] },
      { text: '((params.off || (params.a)) && params.b) == params.c', missing: ['params.a', 'params.b', 'params.c'] },
      { text: 'params.on ? params.n : params.a', value: 3 },
      { text: 'params.off ? params.a : params.b', missing: ['params.b'] },
      { text: 'params.c ? params.a : params.b', missing: ['params.c'] },
      { text: 'has(params.a)', value: false },
      { text: 'has(params.none)', value: false },
      { text: 'has(params.a) ? params.a : params.n', value: 3 },
      { text: 'has(params.a) ? params.a : params.b', missing: ['params.b'] },
      { text: 'has(components.cache.status.url)', missing: ['components.cache.status.url'] },
      { text: 'params.list[9]', missing: ['params.list'] },
      { text: 'params.list[9] + params.a', missing: ['params.list', 'params.a'] },
      { text: 'params.empty[0] || params.on', value: true },
      { text: 'params[params.name]', missing: ['params'] },
      { text: 'params.list.all(x, x < params.a)', missing: ['params.a'] },
      { text: 'params.a.all(x, x < params.b)', missing: ['params.a'] },
      { text: 'components.db.status.ports.exists(p, p.number == 1)', missing: ['components.db.status.ports'] },
      { text: 'params.list.exists(x, x > 2 || params.a)', value: true },
      { text: 'components.db.status.ports.filter(p, p.name == "sql")[0].name', value: 'sql' },
      { text: 'components.db.status.ports.filter(p, p.name == "web")[0].number', missing: ['components.db.status.ports'] },
      { text: 'components.db.status.ports.filter(p, p.name == "sql")[0].number', missing: ['components.db.status.ports'] },
    ])('$text', ({ text, value, missing }) => {
      const expected = missing ? { missing: missing.map((reference) => reference.split('.')) } : { value };
      expect(evaluate(text, scope)).toEqual(expected);
    });

    it('is exactly what was needed and absent, as a slow and simple reading of the same expression finds', () => {
      fc.assert(
        fc.property(condition, known, (given, params) => {
          const { value, missing } = meaning(given, params);
          const expected = value === undefined ? { missing: missing.map((name) => ['params', name]) } : { value };
          const result = evaluate(written(given), { values: { params } });
          expect('missing' in result ? { missing: [...result.missing].sort() } : result).toEqual(expected);
        }),
        { numRuns: 1_000 },
      );
    });

    it('is a root that is null', () => expect(evaluate('item + 1', { values: { item: null } })).toEqual({ missing: [['item']] }));
  });

  it.each([
    { text: '', problem: 'the expression is empty' },
    { text: '${}', problem: 'the expression is empty' },
    { text: 'component.x', problem: 'unknown name "component"; allowed: components, params, steps' },
    { text: 'params.on || nobody', problem: 'unknown name "nobody"; allowed: components, params, steps' },
    { text: 'constructor', problem: 'unknown name "constructor"; allowed: components, params, steps' },
    { text: 'components.web-Server.x', problem: 'unknown name "Server"; allowed: components, params, steps' },
    { text: 'now()', problem: 'unknown function "now"; allowed: bool, double, dyn, has, int, size, string' },
    {
      text: 'params.name.replace("a", "b")',
      problem:
        'unknown method "replace"; allowed: all, contains, endsWith, exists, exists_one, filter, indexOf, join, lastIndexOf, lowerAscii, map, matches, size, split, startsWith, substring, trim, upperAscii',
    },
    { text: 'params.n +', problem: 'cannot read "params.n +": it ends too early' },
    { text: '(params.n', problem: 'cannot read "(params.n": it ends too early' },
    { text: 'params.n )', problem: 'cannot read "params.n )": unexpected ")" at character 10' },
    { text: 'params.n # 2', problem: 'cannot read "params.n # 2": unexpected "#" at character 10' },
    { text: 'params.n params.x', problem: 'cannot read "params.n params.x": unexpected "params" at character 10' },
    { text: 'components.web-1..x', problem: 'cannot read "components.web-1..x": unexpected "." at character 18' },
    { text: "params.name == 'web", problem: 'cannot read "params.name == \'web": unterminated string at character 16' },
    { text: 'if + 1', problem: 'cannot read "if + 1": reserved identifier: if at character 1' },
    { text: 'params.n // three', problem: 'cannot read "params.n // three": comments (//) are not allowed in an expression' },
    {
      text: '${params.n} > ${params.two}',
      problem: 'cannot read "${params.n} > ${params.two}": write one ${…} around the whole expression, or none',
    },
    {
      text: 'params.list.map(1, 2)',
      problem: 'cannot read "params.list.map(1, 2)": the first argument must be a new name such as x at character 17',
    },
    { text: 'b"abc"', problem: 'bytes (b"…") and unsigned numbers (1u) are not supported' },
    { text: 'params.n + 1u', problem: 'bytes (b"…") and unsigned numbers (1u) are not supported' },
    {
      text: 'params.name + params.n',
      problem: 'string + integer cannot be computed in "params.name + params.n"; string(…) makes a string of a number',
    },
    { text: '1 + (params.n > "a" ? 1 : 2)', problem: 'integer > string cannot be computed in "params.n > \\"a\\""' },
    { text: 'params.list - params.half', problem: 'list - number cannot be computed in "params.list - params.half"' },
    { text: '-params.name', problem: '-string cannot be computed in "-params.name"' },
    { text: 'size(params.n)', problem: 'size(integer) cannot be computed in "size(params.n)"' },
    { text: 'params.n.startsWith("a")', problem: 'integer.startsWith(string) cannot be computed in "params.n.startsWith(\\"a\\")"' },
    { text: 'params.name && params.on', problem: '&& and || take booleans in "params.name" (got string)' },
    { text: 'params.n ? 1 : 2', problem: 'a condition must be a boolean, but "params.n" is not one (got integer)' },
    {
      text: 'params.on ? 1 : "one"',
      problem: 'both results of ?: must be of one type in "params.on ? 1 : \\"one\\"" (got integer and string); dyn(…) lets them differ',
    },
    { text: 'has(params)', problem: 'has(…) takes a field such as has(params.x), not "params"' },
    { text: 'params.name.all(x, true)', problem: 'only lists and objects can be run over, but "params.name" is neither' },
    { text: 'params.name.first', problem: 'params.name is a string and has no field "first"' },
    { text: '1 + params.list.first', problem: 'params.list is a list and has no field "first"' },
    { text: 'params.list[-1]', problem: 'there is no such place in the list in "params.list[-1]"' },
    { text: 'params.list[0.5]', problem: 'there is no such place in the list in "params.list[0.5]"' },
    { text: '[1, 2][5]', problem: 'there is no such place in the list in "[1, 2][5]"' },
    { text: '2 / (params.n - 3)', problem: 'division by zero in "2 / (params.n - 3)"' },
    { text: '1.0 / 0', problem: '"1.0 / 0" is not a finite number' },
    {
      text: '9007199254740991 + 1',
      problem: '"9007199254740991 + 1" is a whole number beyond those that JSON carries exactly',
    },
    {
      text: 'params.name.matches("(a")',
      problem:
        'the pattern of matches(…) is not a regular expression of RE2 syntax, which has no look-around and no back-references (got "(a")',
    },
    { text: 'params.name.matches(params.name)', problem: 'the pattern of matches(…) must be written out as a string' },
    { text: 'a'.repeat(1_025), problem: 'the expression is too long: at most 1024 characters (got 1025)' },
  ])('$text is refused', ({ text, problem }) => expect(evaluate(text, scope)).toEqual({ problem }));

  it('says the same when it is only read, as far as that needs no values', () => {
    const roots = ['params', 'components'];
    expect(readExpression('component.x', { roots })).toEqual({ problem: 'unknown name "component"; allowed: components, params' });
    expect(readExpression('params.n +', { roots })).toEqual({ problem: 'cannot read "params.n +": it ends too early' });
    expect(readExpression('1 + "a"', { roots })).toHaveProperty('problem');
  });
});

describe('readExpression', () => {
  const roots = ['params', 'components', 'steps', 'item'];
  it.each([
    { text: 'components.web-1.status.endpoint', references: ['components.web-1.status.endpoint'] },
    { text: '${steps.extract-data.outputs.n > params.min}', references: ['steps.extract-data.outputs.n', 'params.min'] },
    { text: 'params.list[0].name', references: ['params.list'] },
    { text: 'params.list[params.index]', references: ['params.index', 'params.list'] },
    { text: 'params["a"].b', references: ['params.a.b'] },
    { text: 'has(components.db.status.url) && params.a && params.a', references: ['components.db.status.url', 'params.a'] },
    { text: 'params.list.exists(x, x.name == item.name)', references: ['params.list', 'item.name'] },
    { text: 'params.list.map(params, params.x)', references: ['params.list'] },
    { text: 'params.name.size()', references: ['params.name'] },
    { text: '"components.db"', references: [] },
  ])('$text refers to $references', ({ text, references }) =>
    expect(readExpression(text, { roots })).toEqual({ references: references.map((each) => each.split('.')) }),
  );
});

describe('test', () => {
  it.each(['params.on', '${params.on}', 'params.n == 3'])('%s holds', (text) => expect(test(text, scope)).toEqual({ value: true }));

  it.each([
    { text: 'params.name', problem: '"params.name" must be true or false (got "web")' },
    { text: '${params.n}', problem: '"${params.n}" must be true or false (got 3)' },
  ])('$text is no condition', ({ text, problem }) => expect(test(text, scope)).toEqual({ problem }));

  it('waits for what is missing', () => expect(test('params.a', scope)).toEqual({ missing: [['params', 'a']] }));
});

describe('opaque references', () => {
  const secret: Scope = { values, opaque: ([, name, kind, key]) => (kind === 'secret' ? `ref:${name}/${key}` : undefined) };

  it('stand in for themselves', () => expect(evaluate('components.db.secret.password', secret)).toEqual({ value: 'ref:db/password' }));

  it.each([
    'components.db.secret.password + "x"',
    'size(components.db.secret.password)',
    'has(components.db.secret.password)',
    'params.on ? components.db.secret.password : ""',
    '[components.db.secret.password]',
    'components.db.secret.password[0]',
  ])('%s is refused', (text) =>
    expect(evaluate(text, secret)).toEqual({
      problem: 'components.db.secret.password may stand alone or inside a text, but nothing can be computed from it',
    }),
  );
});

describe('values of JSON', () => {
  it('come back as they were, whatever their names are', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (json) => {
        const value = JSON.parse(JSON.stringify(json));
        fc.pre(value !== null);
        expect(evaluate('item', { values: { item: value } })).toEqual({ value });
        expect(evaluate('[item]', { values: { item: value } })).toEqual({ value: [withoutNulls(value)] });
        expect(evaluate('item == item', { values: { item: value } })).toEqual({ value: true });
      }),
    );
  });

  it('with a field called constructor are plain objects', () =>
    expect(evaluate('item.a + 1', { values: { item: { constructor: 'x', a: 1 } } })).toEqual({ value: 2 }));

  it('compare and add up as numbers do, whole or broken', () => {
    const number = fc.oneof(
      fc.integer({ min: -1_000, max: 1_000 }),
      fc.integer({ min: -4_000, max: 4_000 }).map((n) => n / 8),
    );
    fc.assert(
      fc.property(number, number, (a, b) => {
        const result = evaluate('[item.a + item.b, item.a - item.b, item.a * item.b]', { values: { item: { a, b } } });
        expect(result).toEqual({ value: [a + b, a - b, a * b].map((each) => each + 0) });
        const compared = evaluate('[item.a < item.b, item.a <= item.b, item.a == item.b]', { values: { item: { a, b } } });
        expect(compared).toEqual({ value: [a < b, a <= b, a === b] });
      }),
    );
  });
});

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([key, field]) => [key, withoutNulls(field)]));
}

type Condition =
  | { readonly name: string }
  | { readonly has: string }
  | { readonly not: Condition }
  | { readonly op: '&&' | '||' | '=='; readonly sides: readonly [Condition, Condition] }
  | { readonly choice: readonly [Condition, Condition, Condition] };

const name = fc.constantFrom('a', 'b', 'c', 'd');
const known = fc.dictionary(name, fc.option(fc.boolean()));
const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    name.map((each) => ({ name: each })),
    name.map((has) => ({ has })),
    tie('condition').map((not) => ({ not })),
    fc.record({ op: fc.constantFrom('&&' as const, '||' as const, '==' as const), sides: fc.tuple(tie('condition'), tie('condition')) }),
    fc.record({ choice: fc.tuple(tie('condition'), tie('condition'), tie('condition')) }),
  ),
}));

function written(given: Condition): string {
  if ('name' in given) return `params.${given.name}`;
  if ('has' in given) return `has(params.${given.has})`;
  if ('not' in given) return `!(${written(given.not)})`;
  if ('choice' in given)
    return given.choice.map((each) => `(${written(each)})`).reduce((a, b, index) => `${a}${index === 1 ? ' ? ' : ' : '}${b}`);
  return given.sides.map((side) => `( ${written(side)})`).join(given.op);
}

interface Meaning {
  readonly value?: boolean;
  readonly missing: readonly string[];
}

function meaning(given: Condition, params: Readonly<Record<string, boolean | null>>): Meaning {
  const of = (each: Condition) => meaning(each, params);
  if ('name' in given) {
    const value = params[given.name] ?? undefined;
    return value === undefined ? { missing: [given.name] } : { value, missing: [] };
  }
  if ('has' in given) return { value: (params[given.has] ?? null) !== null, missing: [] };
  if ('not' in given) {
    const { value, missing } = of(given.not);
    return value === undefined ? { missing } : { value: !value, missing };
  }
  if ('choice' in given) {
    const first = of(given.choice[0]);
    return first.value === undefined ? first : of(given.choice[first.value ? 1 : 2]);
  }
  const [left, right] = [of(given.sides[0]), of(given.sides[1])];
  const deciding = given.op === '==' ? undefined : given.op === '||';
  if (deciding !== undefined && (left.value === deciding || right.value === deciding)) return { value: deciding, missing: [] };
  if (left.value === undefined || right.value === undefined) return { missing: [...new Set([...left.missing, ...right.missing])].sort() };
  return { value: deciding === undefined ? left.value === right.value : !deciding, missing: [] };
}
