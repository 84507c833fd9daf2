import { type Reference, readDepends } from '../core/expressions/index.ts';
import { withPassedSecrets } from '../core/passed-secrets.ts';
import { listed, quote } from '../core/quote.ts';
import { type Clash, repeated } from '../replicas/schema.ts';
import { cyclesOf } from './cycles.ts';
import { isLoop } from './form.ts';
import { formClashes } from './form-clashes.ts';
import { needsOf, statedOf } from './needs.ts';
import { doingPartOf, LOOP_ROOTS, loopPartOf, ROOTS } from './parts.ts';
import { exitSteps, type Flow, MAX_STEPS, type StepSpec } from './schema.ts';
import { conditionSpot, type Spot, spotsOf } from './spots.ts';

type Path = Clash['path'];

/** What is known around a level of steps. */
interface Surroundings {
  /** Parameters there are; undefined: any. */
  readonly params: readonly string[];
  /** Steps of outer levels that may be spoken of. */
  readonly outer: readonly string[];
  readonly inLoop: boolean;
}

/** What people may say of a step that has ended. */
const STEP_FIELDS = ['outputs', 'status', 'message'];
/** Paths that begin so are those of what is done at the end. */
const RESERVED = ['exit', 'undo'];

/**
 * What is wrong between the steps of a flow: names, dependencies, cycles, expressions, parameters.
 *
 * Guarantees: all at once, each with its path; a flow without clashes can always be planned.
 */
export function flowClashes(flow: Flow, params: readonly string[]): Clash[] {
  const exit = exitSteps(flow);
  const total = countOf(flow.steps) + countOf(exit);
  if (total > MAX_STEPS)
    return [{ path: ['steps'], message: `has ${total} steps with those inside others; at most ${MAX_STEPS} are allowed` }];
  const around: Surroundings = { params, outer: [], inLoop: false };
  const names = flow.steps.map(({ name }) => name);
  const afterAll: Surroundings = { ...around, outer: names };
  return [
    ...reserved(flow.steps),
    ...levelClashes(flow.steps, ['steps'], around),
    ...exitClashes(flow, exit, afterAll),
    ...spotsOf(flow.outputs, ROOTS, ['outputs']).flatMap((spot) => spotClashes(spot, afterAll, names)),
  ];
}

const countOf = (steps: readonly StepSpec[]): number => steps.reduce((sum, step) => sum + 1 + countOf(step.steps ?? []), 0);

const reserved = (steps: readonly StepSpec[]): Clash[] =>
  steps.flatMap(({ name }, index) =>
    RESERVED.includes(name)
      ? [{ path: ['steps', index, 'name'], message: `is a name that is kept for what is done at the end (${name})` }]
      : [],
  );

function exitClashes({ onExit }: Flow, exit: readonly StepSpec[], around: Surroundings): Clash[] {
  if (Array.isArray(onExit)) return levelClashes(exit, ['onExit'], around);
  return levelClashes(exit, [], around).map(({ path, message }) => ({ path: ['onExit', ...path.slice(1)], message }));
}

function levelClashes(steps: readonly StepSpec[], at: Path, around: Surroundings): Clash[] {
  const names = [...new Set(steps.map(({ name }) => name))];
  return [
    ...repeated(
      steps,
      ({ name }) => name,
      (index) => [...at, index, 'name'],
    ),
    ...steps.flatMap((step, index) => stepClashes(step, [...at, index], names, around)),
    ...cycleClashes(steps, at),
  ];
}

function stepClashes(step: StepSpec, at: Path, siblings: readonly string[], around: Surroundings): Clash[] {
  const others = siblings.filter((name) => name !== step.name);
  const inner = (step.steps ?? []).map(({ name }) => name);
  const inside: Surroundings = { ...around, inLoop: around.inLoop || isLoop(step) };
  const nested: Surroundings = { ...inside, outer: [...around.outer, ...others] };
  const told = (spots: readonly Spot[]) => spots.flatMap((spot) => spotClashes(prefixed(spot, at), around, others));
  return [
    ...formClashes(step, at),
    ...dependencyClashes(step, at, others),
    ...told(spotsOf(loopPartOf(step), rootsOf(around))),
    ...told(conditionSpot(step.when, rootsOf(inside), ['when'])),
    ...told(spotsOf(doingPartOf(step), rootsOf(inside))),
    ...spotsOf(step.outputs, [...rootsOf(inside), 'result'], [...at, 'outputs']).flatMap((spot) =>
      spotClashes(spot, around, [...others, ...inner]),
    ),
    ...spotsOf(withPassedSecrets(step.compensate), [...rootsOf(inside), 'result', 'outputs'], [...at, 'compensate']).flatMap((spot) =>
      spotClashes(spot, around, siblings),
    ),
    ...(step.steps ? levelClashes(step.steps, [...at, 'steps'], nested) : []),
  ];
}

const prefixed = (spot: Spot, at: Path): Spot => ({ ...spot, path: [...at, ...spot.path] });

const rootsOf = ({ inLoop }: Surroundings): readonly string[] => (inLoop ? [...ROOTS, ...LOOP_ROOTS] : ROOTS);

function dependencyClashes(step: StepSpec, at: Path, others: readonly string[]): Clash[] {
  const unknown = (name: string): string =>
    name === step.name ? 'a step cannot depend on itself' : `unknown step ${quote(name)}; the steps beside it: ${listed(others) || 'none'}`;
  const named = (step.dependsOn ?? []).flatMap((name, index) =>
    others.includes(name) ? [] : [{ path: [...at, 'dependsOn', index], message: unknown(name) }],
  );
  if (step.depends === undefined) return named;
  const read = readDepends(step.depends);
  if ('problem' in read) return [...named, { path: [...at, 'depends'], message: read.problem }];
  return [
    ...named,
    ...read.names.filter((name) => !others.includes(name)).map((name) => ({ path: [...at, 'depends'], message: unknown(name) })),
  ];
}

function spotClashes({ path, references, problems }: Spot, around: Surroundings, siblings: readonly string[]): Clash[] {
  const wrong = references.map((reference) => referenceProblem(reference, around, siblings)).filter((message) => message !== undefined);
  return [...problems, ...wrong].map((message) => ({ path, message }));
}

function referenceProblem(
  [root, name, field]: Reference,
  { params, outer }: Surroundings,
  siblings: readonly string[],
): string | undefined {
  if (root === 'params') {
    if (name === undefined || params.includes(name)) return undefined;
    return `unknown parameter ${quote(name)}; parameters: ${listed(params) || 'none'}`;
  }
  if (root !== 'steps') return undefined;
  const known = [...new Set([...siblings, ...outer])];
  if (name === undefined) return 'steps must be followed by the name of one: steps.load.outputs.rows';
  if (!known.includes(name)) return `unknown step ${quote(name)}; steps that can be spoken of here: ${listed(known) || 'none'}`;
  if (field === undefined || !STEP_FIELDS.includes(field)) return `steps.${name} has ${listed(STEP_FIELDS)} (got ${quote(field)})`;
  return undefined;
}

/** Each said at its first step. */
function cycleClashes(steps: readonly StepSpec[], at: Path): Clash[] {
  const names = new Set(steps.map(({ name }) => name));
  const edges = new Map([...names].map((name) => [name, new Set<string>()]));
  for (const step of steps) {
    const { stated, implied } = needsOf(step, (name) => names.has(name));
    // A name may be there twice, which is said elsewhere: it must not hide what the first one waits for.
    for (const name of [...stated, ...implied]) if (name !== step.name && names.has(name)) edges.get(step.name)?.add(name);
  }
  return cyclesOf(new Map([...edges].map(([name, needed]) => [name, [...needed]]))).map((cycle) => {
    const [first, second = ''] = cycle;
    const speaks = steps.findIndex((step) => step.name === first && statedOf(step).includes(second));
    const index = speaks >= 0 ? speaks : steps.findIndex(({ name }) => name === first);
    const step = steps[index];
    const field = step && speaks >= 0 ? [step.depends === undefined ? 'dependsOn' : 'depends'] : [];
    return { path: [...at, index, ...field], message: `the steps wait for each other: ${[...cycle, cycle[0]].join(' → ')}` };
  });
}
