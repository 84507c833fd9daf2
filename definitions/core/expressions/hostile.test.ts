import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate, fillTemplate, readDepends, readExpression, readTemplate, test, testDepends } from './index.ts';

const roots = ['params', 'components', 'item'];
const values = { params: { n: 3, s: 'a', l: [1, { a: null }], o: { x: true } }, components: { 'a-b': { status: {} } }, item: 2 };

/** Texts that look like expressions more often than chance would have it. */
const fragment = fc.constantFrom(
  ...[
    'params',
    '.n',
    '.s',
    '.l',
    '.o.x',
    'components.a-b',
    '.status',
    '.q',
    'item',
    '[0]',
    '["x"]',
    '(',
    ')',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
  ],
  ...[
    ' + ',
    '-',
    '*',
    '/',
    ' % ',
    ' == ',
    ' in ',
    '&&',
    '||',
    '!',
    '?',
    '<',
    '"',
    "'",
    '"""',
    '\\',
    '$',
    '${',
    '$${',
    '}',
    '//',
    '\n',
    ' ',
  ],
  ...[
    'has(',
    'size(',
    '.all(x, ',
    '.map(x, ',
    '.exists_one(x, ',
    'x',
    '1',
    '2.5',
    '1u',
    'b"',
    'r"',
    'null',
    'true',
    '.matches("(a',
    'int',
    'é',
    '\u0000',
  ],
);
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fragment, { maxLength: 20 }).map((parts) => parts.join('')),
);

const ONE_SENTENCE = /^[^\n\r]{1,600}$/;

describe('whatever a person writes', () => {
  it('is read and computed without a throw, and refused in one line', () => {
    fc.assert(
      fc.property(text, (written) => {
        const answers = [
          readExpression(written, { roots }),
          evaluate(written, { values }),
          test(written, { values }),
          fillTemplate(written, { values }),
          readDepends(written),
        ];
        for (const answer of answers) if ('problem' in answer) expect(answer.problem).toMatch(ONE_SENTENCE);
        for (const { message } of readTemplate({ a: [written] }, { roots }).issues) expect(message).toMatch(ONE_SENTENCE);
        testDepends(written, () => undefined);
      }),
      { numRuns: 3_000 },
    );
  });

  it('is never refused when it is computed for a reason that reading it could have told', () => {
    fc.assert(
      fc.property(text, (written) => {
        const read = readExpression(written, { roots });
        if ('problem' in read) expect(evaluate(written, { values })).toEqual({ problem: expect.any(String) });
      }),
      { numRuns: 1_000 },
    );
  });

  it('refers to nothing missing but what reading it told', () => {
    fc.assert(
      fc.property(text, (written) => {
        const read = readExpression(written, { roots });
        const result = evaluate(written, { values });
        if ('missing' in result) expect(read).toEqual({ references: expect.arrayContaining([...result.missing]) });
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('what would take long', () => {
  const long = {
    values: { params: { list: Array.from({ length: 20_000 }, (_, index) => index), text: 'x'.repeat(200_000), deep: nested(100) } },
  };
  it.each([
    'params.list.all(x, params.list.all(y, y >= 0))',
    'params.list.all(x, x in params.list)',
    'params.list.map(x, params.list)',
    'params.list.map(x, params.text)',
    'params.list.all(x, params.text.contains("y"))',
    'params.text.split("").all(x, params.text.contains(x))',
    'params.text.matches("(x+x+)+y")',
    `size(${'params.list + '.repeat(60)}params.list)`,
  ])('%s is refused before it begins', (text) => {
    const problem = expect.stringMatching(/takes too long to compute with values of this size$/);
    expect(evaluate(text, long)).toEqual({ problem });
  });

  it('is not one run over a long list', () => {
    expect(evaluate('params.list.exists(x, x == 19999)', long)).toEqual({ value: true });
    expect(evaluate('params.list.filter(x, x % 2 == 0).map(x, x * 2).size()', long)).toEqual({ value: 10_000 });
  });

  it('is not a run inside a run over short ones', () => {
    const rows = Array.from({ length: 100 }, () => Array.from({ length: 100 }, (_, index) => index));
    expect(evaluate('params.rows.all(row, row.all(x, x >= 0))', { values: { params: { rows } } })).toEqual({ value: true });
  });

  it.each([
    '('.repeat(200) + 1 + ')'.repeat(200),
    `1${'+1'.repeat(300)}`,
    `[${'1,'.repeat(300)}]`,
    `size(${'['.repeat(100)}${']'.repeat(100)})`,
  ])('is refused when it is read: %#', (text) =>
    expect(readExpression(text, { roots })).toEqual({ problem: expect.stringMatching(/ is too complex: write less into one expression$/) }),
  );

  it('is a value that is nested too deeply', () =>
    expect(evaluate('size(params.deep)', long)).toEqual({
      problem: '"size(params.deep)" uses a value that is nested too deeply: at most 64 levels',
    }));

  it('is a template with too many expressions', () => {
    const many = Array.from({ length: 1_001 }, () => '${params.n}');
    const problem = 'holds too many expressions: at most 1000 in all';
    expect(readTemplate(many, { roots }).issues).toEqual([{ path: '[1000]', message: problem }]);
    expect(fillTemplate(many, { values })).toEqual({ problem: `[1000]: ${problem}` });
  });

  it('is a template that grows too much', () => {
    const much = Array.from({ length: 3 }, () => '${params.text}');
    expect(fillTemplate(much, long)).toEqual({ problem: '[2]: is too large when filled: at most 524288 characters in all' });
  });

  it('is a template whose expressions take too long together', () => {
    const each = '${params.list.exists(x, x == 19999)}';
    expect(fillTemplate([each], long)).toEqual({ value: [true] });
    expect(
      fillTemplate(
        Array.from({ length: 100 }, () => each),
        long,
      ),
    ).toEqual({ problem: expect.stringMatching(/takes too long/) });
  });

  it('is a template that is nested too deeply, or in itself', () => {
    const circle: Record<string, unknown> = {};
    circle.again = circle;
    for (const value of [nested(100), circle]) {
      expect(readTemplate(value, { roots }).issues).toEqual([
        { path: expect.any(String), message: 'is nested too deeply: at most 64 levels' },
      ]);
      expect(fillTemplate(value, { values })).toEqual({ problem: expect.stringMatching(/ is nested too deeply: at most 64 levels$/) });
    }
  });
});

function nested(levels: number): unknown {
  return levels === 0 ? 'end' : { in: nested(levels - 1) };
}
