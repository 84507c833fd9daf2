import { listed, quote } from '../quote.ts';
import { bounded } from './bounded-cache.ts';
import { bounds } from './types.ts';

/** What may be asked of a step; the last two are for steps that run once for each item. */
export const stepOutcomes = ['Succeeded', 'Failed', 'Skipped', 'Finished', 'AnySucceeded', 'AllFailed'] as const;
export type StepOutcome = (typeof stepOutcomes)[number];

type Depends =
  | { readonly step: string; readonly outcome: StepOutcome }
  | { readonly not: Depends }
  | { readonly all: readonly Depends[] }
  | { readonly any: readonly Depends[] };

type Ask = (name: string, outcome: StepOutcome) => boolean | undefined;

/** Reads on what a step depends: `extract.Succeeded && (load-a.Failed || !load-b.Skipped)`. Never throws. */
export function readDepends(text: string): { readonly names: readonly string[] } | { readonly problem: string } {
  const read = parse(text);
  return 'problem' in read ? read : { names: [...new Set(atomsOf(read.tree).map(({ step }) => step))] };
}

/**
 * Tells whether the steps that one depends on came out as it wishes. A bare name asks whether that step succeeded or was
 * skipped.
 *
 * Guarantees: never throws. The answer stands as soon as no outcome still to come can change it (`a.Failed || b.Succeeded`
 * is true when one of them is); undefined until then. A text that `readDepends` refuses is never decided.
 * Caveats: `a.Failed || !a.Failed` is seen to be true early only while at most eight undecided outcomes are named twice.
 */
export function testDepends(text: string, outcomeOf: Ask): boolean | undefined {
  const read = parse(text);
  if ('problem' in read) return undefined;
  const answer = decide(read.tree, outcomeOf);
  return answer ?? agreed(read.tree, outcomeOf);
}

const parse = (text: string): { readonly tree: Depends } | { readonly problem: string } =>
  text.length > bounds.characters ? { problem: `is too long: at most ${bounds.characters} characters` } : remembered(text);

const remembered = bounded(bounds.remembered, (text): { readonly tree: Depends } | { readonly problem: string } => {
  try {
    return { tree: new Reader(text).whole() };
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message };
    throw error;
  }
});

class Unreadable extends Error {}

const TOKEN = /\s*(?:([A-Za-z0-9_-]+)(?:\.([A-Za-z0-9_-]*))?|(&&|\|\||[!()])|$)/y;
const NAME = /^[A-Za-z0-9_]([-A-Za-z0-9_]*[A-Za-z0-9_])?$/;

/** Reads from left to right; `!` binds before `&&`, and that before `||`. */
class Reader {
  #index = 0;
  #next: RegExpExecArray | null = null;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.#advance();
  }

  whole(): Depends {
    const tree = this.#any();
    if (this.#next?.[0].trim() !== '') throw this.#unexpected();
    return tree;
  }

  #any(): Depends {
    const parts = [this.#all()];
    while (this.#take('||')) parts.push(this.#all());
    return parts.length === 1 ? parts[0]! : { any: parts };
  }

  #all(): Depends {
    const parts = [this.#one()];
    while (this.#take('&&')) parts.push(this.#one());
    return parts.length === 1 ? parts[0]! : { all: parts };
  }

  #one(): Depends {
    if (this.#take('!')) return { not: this.#one() };
    if (this.#take('(')) {
      const tree = this.#any();
      if (!this.#take(')')) throw this.#unexpected();
      return tree;
    }
    const [, step, outcome] = this.#next ?? [];
    if (step === undefined) throw this.#unexpected();
    this.#advance();
    return atom(step, outcome);
  }

  #take(symbol: string): boolean {
    const isNext = this.#next?.[3] === symbol;
    if (isNext) this.#advance();
    return isNext;
  }

  #advance(): void {
    this.#index += this.#next?.[0].length ?? 0;
    TOKEN.lastIndex = this.#index;
    this.#next = TOKEN.exec(this.#text);
    if (!this.#next) throw this.#unexpected();
  }

  #unexpected(): Unreadable {
    const rest = this.#text.slice(this.#index).trimStart();
    const at = this.#text.length - rest.length + 1;
    const found = this.#next?.[0].trim() || rest.slice(0, 1);
    return new Unreadable(
      rest === ''
        ? `cannot read ${quote(this.#text)}: it ends too early`
        : `cannot read ${quote(this.#text)}: unexpected ${quote(found)} at character ${at}; allowed: names of steps, &&, ||, ! and parentheses`,
    );
  }
}

function atom(step: string, outcome: string | undefined): Depends {
  if (!NAME.test(step)) throw new Unreadable(`${quote(step)} is no name of a step: letters, digits, underscores and inner dashes`);
  if (outcome === undefined)
    return {
      any: [
        { step, outcome: 'Succeeded' },
        { step, outcome: 'Skipped' },
      ],
    };
  const known = stepOutcomes.find((each) => each === outcome);
  if (!known) throw new Unreadable(`unknown outcome ${quote(outcome)} of step ${quote(step)}; allowed: ${listed(stepOutcomes)}`);
  return { step, outcome: known };
}

function atomsOf(tree: Depends): readonly { readonly step: string; readonly outcome: StepOutcome }[] {
  if ('step' in tree) return [tree];
  if ('not' in tree) return atomsOf(tree.not);
  return ('all' in tree ? tree.all : tree.any).flatMap(atomsOf);
}

function decide(tree: Depends, ask: Ask): boolean | undefined {
  if ('step' in tree) return ask(tree.step, tree.outcome);
  if ('not' in tree) {
    const inner = decide(tree.not, ask);
    return inner === undefined ? undefined : !inner;
  }
  const deciding = 'any' in tree;
  let isOpen = false;
  for (const part of 'any' in tree ? tree.any : tree.all) {
    const answer = decide(part, ask);
    if (answer === deciding) return deciding;
    isOpen ||= answer === undefined;
  }
  return isOpen ? undefined : !deciding;
}

const MAX_REPEATED = 8;

/**
 * Tries both ends of every undecided outcome that is named more than once: only those can hide an answer, because where
 * each is named once, `decide` is undefined exactly when they matter.
 */
function agreed(tree: Depends, ask: Ask): boolean | undefined {
  const keyOf = (step: string, outcome: string) => `${step}.${outcome}`;
  const open = atomsOf(tree).filter(({ step, outcome }) => ask(step, outcome) === undefined);
  const keys = open.map(({ step, outcome }) => keyOf(step, outcome));
  const repeated = [...new Set(keys.filter((key, index) => keys.indexOf(key) !== index))];
  if (repeated.length === 0 || repeated.length > MAX_REPEATED) return undefined;
  const answers = new Set<boolean | undefined>();
  for (let choice = 0; choice < 2 ** repeated.length && answers.size < 2 && !answers.has(undefined); choice += 1) {
    const chosen = new Map(repeated.map((key, bit) => [key, Boolean((choice >> bit) & 1)]));
    answers.add(decide(tree, (step, outcome) => chosen.get(keyOf(step, outcome)) ?? ask(step, outcome)));
  }
  return answers.size === 1 ? [...answers][0] : undefined;
}
