import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDepends, type StepOutcome, stepOutcomes, testDepends } from './index.ts';

type Facts = Readonly<Record<string, boolean>>;
const asking = (facts: Facts) => (name: string, outcome: StepOutcome) => facts[`${name}.${outcome}`];

describe('readDepends', () => {
  it.each([
    { text: 'extract', names: ['extract'] },
    { text: 'extract.Succeeded && (load-a.Failed || !load-b.Skipped)', names: ['extract', 'load-a', 'load-b'] },
    { text: '  a||b.AllFailed&&!!a.AnySucceeded ', names: ['a', 'b'] },
    { text: '0-in.Finished', names: ['0-in'] },
    { text: 'load_data && loadData.Failed', names: ['load_data', 'loadData'] },
  ])('$text rests on $names', ({ text, names }) => expect(readDepends(text)).toEqual({ names }));

  const allowed = 'allowed: names of steps, &&, ||, ! and parentheses';
  it.each([
    { text: '', problem: 'cannot read "": it ends too early' },
    { text: 'a &&', problem: 'cannot read "a &&": it ends too early' },
    { text: '(a', problem: 'cannot read "(a": it ends too early' },
    { text: 'a)', problem: `cannot read "a)": unexpected ")" at character 2; ${allowed}` },
    { text: 'a b', problem: `cannot read "a b": unexpected "b" at character 3; ${allowed}` },
    { text: 'a & b', problem: `cannot read "a & b": unexpected "&" at character 3; ${allowed}` },
    { text: 'a == b', problem: `cannot read "a == b": unexpected "=" at character 3; ${allowed}` },
    { text: 'a.Failed.Skipped', problem: `cannot read "a.Failed.Skipped": unexpected "." at character 9; ${allowed}` },
    {
      text: 'a.Done',
      problem: 'unknown outcome "Done" of step "a"; allowed: Succeeded, Failed, Skipped, Finished, AnySucceeded, AllFailed',
    },
    { text: '-load', problem: '"-load" is no name of a step: letters, digits, underscores and inner dashes' },
    { text: 'a'.repeat(1_025), problem: 'is too long: at most 1024 characters' },
  ])('$text is refused', ({ text, problem }) => {
    expect(readDepends(text)).toEqual({ problem });
    expect(testDepends(text, () => true)).toBeUndefined();
  });
});

describe('testDepends', () => {
  it.each<{ text: string; facts: Facts; answer: boolean | undefined }>([
    { text: 'a', facts: { 'a.Succeeded': true }, answer: true },
    { text: 'a', facts: { 'a.Succeeded': false, 'a.Skipped': true }, answer: true },
    { text: 'a', facts: { 'a.Succeeded': false, 'a.Skipped': false }, answer: false },
    { text: 'a', facts: {}, answer: undefined },
    { text: 'a.Failed || b.Succeeded', facts: { 'b.Succeeded': true }, answer: true },
    { text: 'a.Failed || b.Succeeded', facts: { 'b.Succeeded': false }, answer: undefined },
    { text: 'a.Failed && b.Succeeded', facts: { 'b.Succeeded': false }, answer: false },
    { text: 'a.Failed || b.Failed && c.Failed', facts: { 'a.Failed': true, 'c.Failed': false }, answer: true },
    { text: '(a.Failed || b.Failed) && c.Failed', facts: { 'a.Failed': true, 'c.Failed': false }, answer: false },
    { text: '!a.Failed && b.Finished', facts: { 'a.Failed': false, 'b.Finished': true }, answer: true },
    { text: '!(a.Failed && b.Finished)', facts: { 'a.Failed': false }, answer: true },
    { text: 'a.Failed || !a.Failed', facts: {}, answer: true },
    { text: 'loop.AnySucceeded && !loop.AllFailed', facts: { 'loop.AnySucceeded': true, 'loop.AllFailed': false }, answer: true },
  ])('$text with $facts is $answer', ({ text, facts, answer }) => expect(testDepends(text, asking(facts))).toBe(answer));

  it('is decided exactly when no outcome still to come can change the answer', () => {
    fc.assert(
      fc.property(tree, facts, (given, known) => {
        const open = [...new Set(atomsOf(given))].filter((key) => known[key] === undefined);
        fc.pre(open.length <= 8);
        const answers = new Set<boolean>();
        for (let choice = 0; choice < 2 ** open.length; choice += 1) {
          const chosen = Object.fromEntries(open.map((key, bit) => [key, Boolean((choice >> bit) & 1)]));
          answers.add(truth(given, { ...known, ...chosen }));
        }
        const expected = answers.size === 1 ? [...answers][0] : undefined;
        expect(testDepends(written(given), asking(known))).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });
});

type Tree =
  | { readonly atom: string }
  | { readonly bare: string }
  | { readonly not: Tree }
  | { readonly op: '&&' | '||'; readonly sides: readonly [Tree, Tree] };

const name = fc.constantFrom('a', 'b-1', 'c');
const atom = fc.tuple(name, fc.constantFrom(...stepOutcomes.slice(0, 3))).map(([step, outcome]) => `${step}.${outcome}`);
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atom.map((key) => ({ atom: key })),
    name.map((bare) => ({ bare })),
    tie('tree').map((not) => ({ not })),
    fc.record({ op: fc.constantFrom('&&' as const, '||' as const), sides: fc.tuple(tie('tree'), tie('tree')) }),
  ),
}));
const facts = fc.dictionary(atom, fc.boolean());

const truth = (given: Tree, known: Facts): boolean => {
  if ('atom' in given) return known[given.atom] === true;
  if ('bare' in given) return known[`${given.bare}.Succeeded`] === true || known[`${given.bare}.Skipped`] === true;
  if ('not' in given) return !truth(given.not, known);
  const [left, right] = given.sides.map((side) => truth(side, known));
  return given.op === '&&' ? Boolean(left && right) : Boolean(left || right);
};

const atomsOf = (given: Tree): readonly string[] => {
  if ('atom' in given) return [given.atom];
  if ('bare' in given) return [`${given.bare}.Succeeded`, `${given.bare}.Skipped`];
  return 'not' in given ? atomsOf(given.not) : given.sides.flatMap(atomsOf);
};

const written = (given: Tree): string => {
  if ('atom' in given) return given.atom;
  if ('bare' in given) return given.bare;
  if ('not' in given) return `!(${written(given.not)})`;
  return given.sides.map((side) => `(${written(side)})`).join(given.op);
};
