import { type Reference, readDepends, readExpression, readTemplate } from '../core/expressions/index.ts';
import { doingPartOf, LOOP_ROOTS, loopPartOf, ROOTS } from './parts.ts';
import type { StepSpec } from './schema.ts';

/** What a step waits for, among the steps of its own level. */
export interface Needs {
  /** By dependsOn, or by an expression over them. */
  readonly stated: readonly string[];
  /** Because what it does speaks of them: they must have ended, also where an expression would not wait for them. */
  readonly implied: readonly string[];
}

const ALL = { roots: [...ROOTS, ...LOOP_ROOTS, 'result'] };

/** The steps that must have ended before a step can be looked at. */
export function needsOf(step: StepSpec, isSibling: (name: string) => boolean): Needs {
  const stated = statedOf(step);
  const isNew = (name: string) => step.depends !== undefined || !stated.includes(name);
  const implied = new Set(spokenOf(step).filter((name) => isSibling(name) && name !== step.name && isNew(name)));
  return { stated, implied: [...implied] };
}

/** Names in `depends`, else in `dependsOn`. */
export function statedOf({ depends, dependsOn = [] }: StepSpec): readonly string[] {
  if (depends === undefined) return dependsOn;
  const read = readDepends(depends);
  return 'names' in read ? read.names : [];
}

/** The steps that a step and all inside it speak of; the own steps of nested levels are left out. */
function spokenOf(step: StepSpec): readonly string[] {
  const own = stepsIn(referencesOf(step));
  const said = stepsIn(readTemplate(step.outputs ?? {}, ALL).references);
  if (!step.steps) return [...own, ...said];
  const inner = new Set(step.steps.map(({ name }) => name));
  return [...own, ...[...said, ...step.steps.flatMap(spokenOf)].filter((name) => !inner.has(name))];
}

/** All that is spoken of where a step is started: its list of items, its condition, what it does. */
export function referencesOf(step: StepSpec): readonly Reference[] {
  const condition = step.when === undefined ? undefined : readExpression(step.when, ALL);
  return [
    ...readTemplate(loopPartOf(step), ALL).references,
    ...(condition && 'references' in condition ? condition.references : []),
    ...readTemplate(doingPartOf(step), ALL).references,
  ];
}

/** `['steps', 'load', 'outputs', 'rows']` speaks of load. */
export const stepsIn = (references: readonly Reference[]): string[] =>
  references.flatMap(([root, name]) => (root === 'steps' && name !== undefined ? [name] : []));
