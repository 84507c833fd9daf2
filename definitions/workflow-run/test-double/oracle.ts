/**
 * Judges a run by the rules alone: written from what is promised of steps, it shares nothing with the planner.
 *
 * It is told what happened, one event at a time, and says what each step must be, and whether a start was allowed.
 */

export type Formula =
  | { readonly step: string; readonly is?: Outcome }
  | { readonly not: Formula }
  | { readonly and: readonly Formula[] }
  | { readonly or: readonly Formula[] };

export type Outcome = 'Succeeded' | 'Failed' | 'Skipped' | 'Finished' | 'AnySucceeded' | 'AllFailed';

/** A step as the tests make them up. */
export interface Sketch {
  readonly name: string;
  readonly needs: readonly string[];
  readonly formula?: Formula;
  /** Whether its condition is true; absent: it has none. */
  readonly when?: boolean;
  /** Its input speaks of these. */
  readonly speaksOf?: readonly string[];
  readonly continueOnFailure?: boolean;
  readonly attempts: number;
  readonly items?: number;
  readonly suspends?: boolean;
  /** It applies a manifest, and what that makes decides. */
  readonly applies?: boolean;
  readonly hasUndo?: boolean;
  readonly inner?: readonly Sketch[];
}

type End = 'Succeeded' | 'Failed' | 'Skipped' | 'Omitted' | 'Cancelled';
/** `open`: it may still go either way. */
export type Verdict = End | 'open';

interface Facts {
  started: boolean;
  startedAt: number;
  failures: number;
  isDead: boolean;
  ok?: number;
  inAir: boolean;
  /** Nobody has taken it. */
  isStuck: boolean;
  isWaiting: boolean;
  isSkipped: boolean;
}

interface Judged {
  readonly sketch: Sketch;
  readonly path: string;
  readonly verdict: Verdict;
  readonly parts?: readonly Judged[];
  readonly isLoop: boolean;
  readonly willFail: boolean;
  /** It begins again after a retry, or rests on what does: nobody may build on what it was. */
  readonly isRedone?: boolean;
}

const fresh = (): Facts => ({
  startedAt: 0,
  started: false,
  failures: 0,
  isDead: false,
  inAir: false,
  isStuck: false,
  isWaiting: false,
  isSkipped: false,
});

export class Oracle {
  private readonly facts = new Map<string, Facts>();
  private clock = 0;
  /** What waits for its needs again, since something in it was undone. */
  private readonly anew = new Map<string, number>();
  /** Whatever had begun before a retry, and begins again after it. */
  private readonly renewed = new Set<string>();

  /** What had not ended when the run was terminated: that is why it may have failed since. */
  private cut: ReadonlySet<string> = new Set();

  constructor(
    private readonly sketches: readonly Sketch[],
    private readonly rules: { readonly failFast: boolean; readonly abort: boolean },
  ) {}

  of(path: string): Facts {
    const known = this.facts.get(path) ?? fresh();
    this.facts.set(path, known);
    return known;
  }

  start(path: string): void {
    this.begin(path);
    this.of(path).inAir = true;
  }

  suspend(path: string): void {
    this.begin(path);
    this.of(path).isWaiting = true;
  }

  /** Nothing of it is in the air: it waits for what it applied. */
  apply(path: string): void {
    this.begin(path);
  }

  private begin(path: string): void {
    this.clock += 1;
    Object.assign(this.of(path), { started: true, startedAt: this.clock });
  }

  land(path: string, end: 'ok' | 'failed' | 'dead' | 'lost' | 'stuck' | 'dropped'): void {
    const facts = this.of(path);
    this.clock += 1;
    facts.inAir = false;
    facts.isStuck = end === 'stuck' || (end === 'dropped' && facts.isStuck);
    facts.isWaiting = false;
    if (end === 'ok') facts.ok = this.clock;
    if (end === 'failed') facts.failures += 1;
    if (end === 'dead') facts.isDead = true;
  }

  skip(path: string): void {
    this.of(path).isSkipped = true;
  }

  terminate(): void {
    this.cut = new Set(everything(this.judge()).flatMap(({ path, verdict }) => (verdict === 'open' ? [path] : [])));
  }

  judge(): readonly Judged[] {
    return this.level(this.sketches, '');
  }

  /** Steps of a level, judged. */
  private level(sketches: readonly Sketch[], prefix: string): readonly Judged[] {
    const judged = new Map<string, Judged>();
    const rest = [...sketches];
    while (rest.length > 0) {
      const index = rest.findIndex((one) =>
        [...named(one)].every((name) => judged.has(name) || !sketches.some((other) => other.name === name)),
      );
      const [next] = rest.splice(index, 1);
      if (!next) continue;
      const path = `${prefix}${next.name}`;
      const one = this.step(next, path, judged);
      const rests = [...named(next.formula ? { ...next, needs: [] } : next)].some((name) => judged.get(name)?.isRedone);
      judged.set(next.name, { ...one, isRedone: rests || (this.renewed.has(path) && one.verdict === 'open') });
    }
    return sketches.map(({ name }) => judged.get(name) as Judged);
  }

  private step(sketch: Sketch, path: string, beside: ReadonlyMap<string, Judged>): Judged {
    const isLoop = sketch.items !== undefined;
    const plain = (verdict: Verdict): Judged => ({ sketch, path, verdict, isLoop, willFail: verdict === 'Failed' });
    if (this.of(path).isSkipped) return plain('Skipped');
    if (!this.hasBegun(sketch, path)) {
      const answer = this.mayBegin(sketch, beside);
      if (answer === false) return plain('Omitted');
      if (answer === undefined) return plain('open');
      if (sketch.when === false) return plain('Skipped');
    }
    if (isLoop) {
      if (sketch.items === 0) return plain('Skipped');
      const parts = Array.from({ length: sketch.items ?? 0 }, (_, index) => this.body(sketch, `${path}[${index}]`));
      return this.whole(sketch, path, parts, true);
    }
    return this.body(sketch, path);
  }

  private body(sketch: Sketch, path: string): Judged {
    if (this.of(path).isSkipped) return { sketch, path, verdict: 'Skipped', isLoop: false, willFail: false };
    if (sketch.inner) return this.whole(sketch, path, this.level(sketch.inner, `${path}.`), false);
    const { ok, isDead, failures } = this.of(path);
    const verdict: Verdict = ok !== undefined ? 'Succeeded' : isDead || failures >= sketch.attempts ? 'Failed' : 'open';
    return { sketch, path, verdict, isLoop: false, willFail: verdict === 'Failed' };
  }

  private whole(sketch: Sketch, path: string, parts: readonly Judged[], isLoop: boolean): Judged {
    const willFail = parts.some((part) => part.willFail && (isLoop || !isCaredFor(part, parts)));
    const goesOn = !this.rules.failFast || (isLoop && sketch.continueOnFailure === true);
    const isOver = parts.every(({ verdict }) => verdict !== 'open') || (willFail && !goesOn && !parts.some((part) => this.isHeld(part)));
    const idle = parts.every(({ verdict }) => verdict === 'Skipped' || verdict === 'Omitted');
    const verdict: Verdict = !isOver ? 'open' : willFail ? 'Failed' : idle ? 'Skipped' : 'Succeeded';
    return { sketch, path, verdict, parts, isLoop, willFail };
  }

  /** Runs, or will be tried again: it must be waited for. */
  isHeld({ parts, path, verdict }: Judged): boolean {
    if (parts) return parts.some((part) => this.isHeld(part));
    const { inAir, started, isStuck, isWaiting } = this.of(path);
    if (inAir) return true;
    return verdict === 'open' && started && !isStuck && !isWaiting && !this.rules.abort;
  }

  private hasBegun(sketch: Sketch, path: string): boolean {
    const since = this.anew.get(path) ?? 0;
    for (const [one, { started, startedAt }] of this.facts) {
      if (started && startedAt > since && (one === path || isInside(one, path))) return true;
    }
    return sketch.items === undefined && !sketch.inner && this.of(path).started;
  }

  private mayBegin(sketch: Sketch, beside: ReadonlyMap<string, Judged>): boolean | undefined {
    const seen = new Map([...beside].map(([name, one]) => [name, one.isRedone ? { ...one, verdict: 'open' as const } : one]));
    const spoken = (sketch.speaksOf ?? []).map((name) => seen.get(name) as Judged);
    if (sketch.formula) {
      const answer = decide(sketch.formula, seen);
      if (answer !== true) return answer;
      return spoken.every(({ verdict }) => verdict !== 'open') ? true : undefined;
    }
    const all = [...sketch.needs.map((name) => seen.get(name) as Judged), ...spoken];
    const isGood = ({ verdict, sketch: { continueOnFailure } }: Judged) =>
      verdict === 'Succeeded' || verdict === 'Skipped' || (verdict === 'Failed' && continueOnFailure === true);
    if (all.some((one) => one.verdict !== 'open' && !isGood(one))) return false;
    return all.every(isGood) ? true : undefined;
  }

  /** Why a leaf may not start now for the first time; undefined: it may. */
  objection(path: string): string | undefined {
    const judged = this.judge();
    const way = wayTo(judged, path);
    if (!way) return `${path} is no step that may begin`;
    for (const [index, node] of way.entries()) {
      const level = index === 0 ? judged : (way[index - 1]?.parts ?? []);
      if (node.verdict !== 'open') return `${node.path} is ${node.verdict}`;
      if (this.rules.failFast && level.some((one) => one.willFail && !isCaredFor(one, level)))
        return `a step beside ${node.path} has failed`;
      const isPart = index > 0 && way[index - 1]?.isLoop;
      if (!isPart && !this.hasBegun(node.sketch, node.path)) {
        const beside = new Map(level.map((one) => [one.sketch.name, one]));
        if (this.mayBegin(node.sketch, beside) !== true) return `the needs of ${node.path} are not met`;
        if (node.sketch.when === false) return `the condition of ${node.path} is not true`;
      }
    }
    return undefined;
  }

  /** What each leaf must be once nothing more will happen. */
  ends(): ReadonlyMap<string, End> {
    const found = new Map<string, End>();
    const visit = (nodes: readonly Judged[]) => {
      for (const { parts, path, verdict } of nodes) {
        if (parts) visit(parts);
        else found.set(path, verdict === 'open' ? (this.of(path).started ? 'Cancelled' : 'Omitted') : verdict);
      }
    };
    visit(this.judge());
    return found;
  }

  /** Whether the steps as a whole have failed. */
  hasFailed(): boolean {
    const judged = this.judge();
    return judged.some((one) => one.willFail && !isCaredFor(one, judged));
  }

  /** Leaves that have succeeded and can be undone, the last one first. */
  undoable(): readonly string[] {
    const found: { path: string; ok: number }[] = [];
    const visit = (nodes: readonly Judged[]) => {
      for (const { parts, path, sketch, verdict } of nodes) {
        if (parts) visit(parts);
        else if (sketch.hasUndo && verdict === 'Succeeded') found.push({ path, ok: this.of(path).ok ?? 0 });
      }
    };
    visit(this.judge());
    return found.sort((a, b) => b.ok - a.ok).map(({ path }) => path);
  }

  /** A retry: what failed without care, what was cancelled and what was undone begins anew. Gives what must not start again. */
  retry(undone: readonly string[]): ReadonlySet<string> {
    const again = new Set(undone);
    const visit = (nodes: readonly Judged[], isOver: boolean) => {
      for (const node of nodes) {
        const counts = this.cut.has(node.path) || !isCaredFor(node, nodes);
        const isBroken = node.verdict === 'open' ? isOver : node.verdict === 'Failed' && counts;
        const isDoomed = node.willFail && !isCaredFor(node, nodes);
        if (!isBroken && !isDoomed) continue;
        if (this.hasEverBegun(node.path)) this.renewed.add(node.path);
        if (node.parts) {
          this.anew.set(node.path, this.clock);
          visit(node.parts, true);
        } else again.add(node.path);
      }
    };
    const judged = this.judge();
    visit(judged, true);
    for (const path of undone.flatMap(aroundOf)) {
      const around = everything(judged).find((one) => one.path === path);
      // Beside a failure nothing begins: it must begin again as well, also where nobody minded it.
      if (around && this.rules.failFast && !(around.isLoop && around.sketch.continueOnFailure)) visit(around.parts ?? [], true);
    }
    this.cut = new Set();
    const done = new Set([...this.facts].filter(([path, { ok }]) => ok !== undefined && !again.has(path)).map(([path]) => path));
    for (const path of again) this.facts.set(path, fresh());
    for (const path of undone) {
      const around = aroundOf(path);
      for (const one of around) this.anew.set(one, this.clock);
      for (const one of [path, ...around]) this.renewed.add(one);
    }
    return done;
  }

  private hasEverBegun(path: string): boolean {
    return [...this.facts].some(([one, { started }]) => started && (one === path || isInside(one, path)));
  }
}

const everything = (nodes: readonly Judged[]): readonly Judged[] => nodes.flatMap((node) => [node, ...everything(node.parts ?? [])]);

/** All that a step is part of, outermost first. */
const aroundOf = (path: string): readonly string[] => [...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index));

const isInside = (path: string, outer: string): boolean => path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);

/** All that a step names, outside itself. */
function named({ needs, formula, speaksOf = [] }: Sketch): Set<string> {
  return new Set([...needs, ...speaksOf, ...(formula ? atoms(formula).map(({ step }) => step) : [])]);
}

function wayTo(nodes: readonly Judged[], path: string): readonly Judged[] | undefined {
  for (const node of nodes) {
    if (node.path === path) return [node];
    const rest = node.parts && wayTo(node.parts, path);
    if (rest) return [node, ...rest];
  }
  return undefined;
}

function isCaredFor(node: Judged, level: readonly Judged[]): boolean {
  if (node.sketch.continueOnFailure) return true;
  const beside = new Map(level.map((one) => [one.sketch.name, one]));
  return level.some(
    ({ sketch: { formula } }) =>
      formula !== undefined && atoms(formula).some(({ step }) => step === node.sketch.name) && decide(formula, beside) !== false,
  );
}

function atoms(formula: Formula): readonly { readonly step: string; readonly is?: Outcome }[] {
  if ('step' in formula) return [formula];
  if ('not' in formula) return atoms(formula.not);
  return ('and' in formula ? formula.and : formula.or).flatMap(atoms);
}

/** Tries all that the open questions could turn out to be; undefined while they disagree. */
function decide(formula: Formula, beside: ReadonlyMap<string, Judged>): boolean | undefined {
  const questions = new Map<string, boolean | undefined>();
  for (const { step, is } of atoms(formula)) {
    for (const outcome of is ? [is] : (['Succeeded', 'Skipped'] as const))
      questions.set(`${step}.${outcome}`, answerTo(beside.get(step) as Judged, outcome));
  }
  const open = [...questions].filter(([, answer]) => answer === undefined).map(([question]) => question);
  const answers = new Set<boolean>();
  for (let choice = 0; choice < 2 ** open.length; choice += 1) {
    const known = (question: string) => questions.get(question) ?? Boolean((choice >> open.indexOf(question)) & 1);
    answers.add(truth(formula, known));
  }
  return answers.size === 1 ? [...answers][0] : undefined;
}

function truth(formula: Formula, known: (question: string) => boolean): boolean {
  if ('step' in formula)
    return formula.is ? known(`${formula.step}.${formula.is}`) : known(`${formula.step}.Succeeded`) || known(`${formula.step}.Skipped`);
  if ('not' in formula) return !truth(formula.not, known);
  return 'and' in formula ? formula.and.every((part) => truth(part, known)) : formula.or.some((part) => truth(part, known));
}

function answerTo({ verdict, isLoop, parts }: Judged, outcome: Outcome): boolean | undefined {
  if (verdict === 'open') return undefined;
  const each = isLoop && parts ? parts.map((part) => part.verdict) : [verdict];
  if (outcome === 'Finished') return true;
  if (outcome === 'AnySucceeded') return each.includes('Succeeded');
  if (outcome === 'AllFailed') return each.every((one) => one === 'Failed');
  return verdict === outcome;
}
