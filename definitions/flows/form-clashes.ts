import { readExpression } from '../core/expressions/index.ts';
import { quote } from '../core/quote.ts';
import type { Clash } from '../replicas/schema.ts';
import { formFields, formsOf, isLoop } from './form.ts';
import { MAX_STEPS, type StepSpec, type UndoSpec } from './schema.ts';
import type { FunctionSpec, ResourceForm, RunForm } from './schema-forms.ts';

type Path = Clash['path'];

/** What the conditions of a resource may speak of. */
export const OBJECT_ROOTS = ['status', 'spec', 'metadata'] as const;

/** What is wrong with a step by itself although each field fits. */
export function formClashes(step: StepSpec, at: Path): Clash[] {
  const forms = formsOf(step);
  return [
    ...oneForm(forms, at, formFields),
    ...(step.type !== undefined && forms.length === 1 && forms[0] !== step.type
      ? [{ path: [...at, 'type'], message: `must be ${forms[0]}, as the step is written (got ${quote(step.type)})` }]
      : []),
    ...doingClashes(step, at),
    ...(step.resource ? resourceClashes(step.resource, [...at, 'resource']) : []),
    ...(step.compensate ? undoClashes(step.compensate, [...at, 'compensate']) : []),
    ...loopClashes(step, at),
    ...idleClashes(step, at),
  ];
}

function oneForm(forms: readonly string[], at: Path, fields: readonly string[]): Clash[] {
  if (forms.length === 1) return [];
  const has = forms.length === 0 ? 'none of them' : forms.join(' and ');
  return [{ path: at, message: `must have exactly one of ${fields.join(', ')} (has ${has})` }];
}

function undoClashes(undo: UndoSpec, at: Path): Clash[] {
  return [...oneForm(formsOf(undo), at, ['functionSpec', 'run', 'http']), ...doingClashes(undo, at)];
}

function doingClashes({ functionSpec, run, retry }: UndoSpec, at: Path): Clash[] {
  const { backoff } = retry ?? {};
  const isTwice = typeof backoff === 'object' && backoff.initial !== undefined && backoff.duration !== undefined;
  return [
    ...(functionSpec ? functionClashes(functionSpec, [...at, 'functionSpec']) : []),
    ...(run ? runClashes(run, [...at, 'run']) : []),
    ...(isTwice ? [{ path: [...at, 'retry', 'backoff', 'duration'], message: 'is the same as initial: leave one of them out' }] : []),
  ];
}

function functionClashes({ funcName, funcname, conditions }: FunctionSpec, at: Path): Clash[] {
  const { executorType, executortype } = conditions ?? {};
  return [
    ...onlyOne([...at, 'funcName'], 'funcname', funcName, funcname),
    ...onlyOne([...at, 'conditions', 'executorType'], 'executortype', executorType, executortype),
  ];
}

function onlyOne(path: Path, other: string, first: unknown, second: unknown): Clash[] {
  if (first === undefined && second === undefined) return [{ path, message: 'is required' }];
  return first !== undefined && second !== undefined ? [{ path, message: `is the same as ${other}: leave one of them out` }] : [];
}

function runClashes({ runtime, image, command }: RunForm, at: Path): Clash[] {
  const isProcess = runtime === 'local' || (runtime === undefined && image === undefined);
  if (!isProcess) return image === undefined ? [{ path: [...at, 'image'], message: `is required when runtime is ${runtime}` }] : [];
  return [
    ...(command === undefined || command.length === 0 ? [{ path: [...at, 'command'], message: 'is required without an image' }] : []),
    ...(image === undefined ? [] : [{ path: [...at, 'image'], message: 'must be left out when runtime is local' }]),
  ];
}

function resourceClashes({ successCondition, failureCondition }: ResourceForm, at: Path): Clash[] {
  return Object.entries({ successCondition, failureCondition }).flatMap(([field, text]) => {
    const read = text === undefined ? undefined : readExpression(text, { roots: OBJECT_ROOTS });
    return read && 'problem' in read ? [{ path: [...at, field], message: read.problem }] : [];
  });
}

function loopClashes(step: StepSpec, at: Path): Clash[] {
  const loops = (['withItems', 'withParam', 'withSequence'] as const).filter((field) => step[field] !== undefined);
  const { count, end, start } = step.withSequence ?? {};
  const clashes: Clash[] = [];
  if (loops.length > 1) clashes.push({ path: [...at, loops[1] ?? ''], message: `cannot stand beside ${loops[0]}` });
  if (step.withSequence && (count === undefined) === (end === undefined)) {
    clashes.push({ path: [...at, 'withSequence'], message: 'must have either end or count' });
  }
  const first = start ?? 0;
  const length = typeof first === 'number' && typeof end === 'number' ? Math.abs(end - first) + 1 : 0;
  if (typeof start === 'number' && typeof end === 'number' && end < start) {
    clashes.push({ path: [...at, 'withSequence', 'end'], message: `must be ≥ start, ${start} (got ${end})` });
  } else if (length > MAX_STEPS) {
    const message = `makes ${length} iterations; at most ${MAX_STEPS} are allowed`;
    clashes.push({ path: [...at, 'withSequence', 'end'], message });
  }
  return clashes;
}

/** What would be left undone is refused. */
function idleClashes(step: StepSpec, at: Path): Clash[] {
  const [type] = formsOf(step);
  const flies = type === 'function' || type === 'run' || type === 'http';
  const clash = (field: string, message: string): Clash[] =>
    step[field as keyof StepSpec] === undefined ? [] : [{ path: [...at, field], message }];
  const only = 'is only for functionSpec, run and http';
  return [
    ...(flies || type === undefined ? [] : [...clash('heartbeat', only), ...clash('cache', only)]),
    ...(flies || type === undefined || type === 'resource' ? [] : clash('retry', 'is only for functionSpec, run, http and resource')),
    ...(step.resource?.keep ? clash('retry', 'cannot stand beside resource.keep: what failed is deleted before the next try') : []),
    ...(type === 'suspend' ? clash('timeout', 'is written in suspend.timeout') : []),
    ...(type === 'steps' || type === 'suspend' ? clash('compensate', 'is only for steps that do something themselves') : []),
    ...(isLoop(step) || type === 'steps' ? [] : clash('parallelism', 'is only for loops and for nested steps')),
  ];
}
