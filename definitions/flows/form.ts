import { type StepSpec, type StepType, stepTypes } from './schema.ts';

/** The field that each type of step is written in. */
const FIELDS: Readonly<Record<StepType, keyof StepSpec>> = {
  function: 'functionSpec',
  resource: 'resource',
  run: 'run',
  http: 'http',
  suspend: 'suspend',
  steps: 'steps',
};

export const formFields: readonly string[] = Object.values(FIELDS);

/** Of which types a step has the form; exactly one, once it was accepted. */
export const formsOf = (step: Partial<StepSpec>): readonly StepType[] => stepTypes.filter((type) => step[FIELDS[type]] !== undefined);

/** What an accepted step is. */
export const typeOf = (step: Partial<StepSpec>): StepType => formsOf(step)[0] ?? 'function';

/** The field in which a type of step is written. */
export const fieldOf = (type: StepType): string => FIELDS[type];

/** Whether a step is done once for each of several items. */
export const isLoop = ({ withItems, withParam, withSequence }: StepSpec): boolean =>
  withItems !== undefined || withParam !== undefined || withSequence !== undefined;
