import { z } from 'zod';
import { textThat } from '../core/metadata.ts';
import { text } from '../replicas/schema.ts';
import { duration, functionSpec, httpForm, resourceForm, runForm, suspendForm, templated } from './schema-forms.ts';

export const MAX_STEPS = 1_000;
const MAX_ATTEMPTS = 10_000;

/** How steps are called: short enough to stand in paths, plain enough to stand in expressions. */
const NAME = /^([a-z0-9]([-a-z0-9]*[a-z0-9])?|[A-Za-z_][A-Za-z0-9_]*)$/;
export const stepName = textThat(
  (name) => name.length <= 63 && NAME.test(name),
  'a name such as load-data or load_data, at most 63 letters, digits, "-" and "_"',
);

/** How parameters are called. */
export const paramName = textThat(
  (name) => name.length <= 63 && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name),
  'a name such as region or max_rows, at most 63 letters, digits and "_"',
);

const backoff = z.union([
  z.enum(['exponential', 'fixed']),
  duration,
  z.strictObject({
    initial: duration.optional().describe('Before the second attempt'),
    duration: duration.optional().describe('The same'),
    factor: z.number().min(1).max(100).optional().describe('2'),
    max: duration.optional().describe('5m'),
  }),
]);

export const retry = z.strictObject({
  maxAttempts: z.int().min(1).max(MAX_ATTEMPTS).optional().describe('With the first; 3'),
  backoff: backoff.optional().describe('"exponential", "fixed", a duration, or initial, factor and max'),
});

export type Retry = z.infer<typeof retry>;

/** What a step does, without order and conditions; also what undoes one. */
const doing = {
  functionSpec: functionSpec.optional().describe('A function of an executor'),
  run: runForm.optional().describe('A container or a process that runs to its end'),
  http: httpForm.optional().describe('A request'),
  retry: retry.optional().describe("How often a failed attempt is repeated; else the run's onFailure.retry"),
  timeout: templated(duration).optional().describe('Of one attempt; of all, for what has steps of its own'),
  heartbeat: duration.optional().describe('An attempt that was not heard of for so long is lost and begins anew'),
};

export const undoSpec = z.strictObject(doing);

export type UndoSpec = z.infer<typeof undoSpec>;

/** What a step is, as its `type` says it in the documents. */
export const stepTypes = ['function', 'resource', 'run', 'http', 'suspend', 'steps'] as const;

export type StepType = (typeof stepTypes)[number];

const number = templated(z.int());

const shape = {
  name: stepName,
  type: z.enum(stepTypes).optional().describe('Said by the form as well'),
  dependsOn: z.array(z.string()).max(MAX_STEPS).optional().describe('Steps that must have succeeded or been skipped'),
  depends: text.min(1).max(1_024).optional().describe('Instead of dependsOn: load.Succeeded && (a.Failed || !b.Skipped)'),
  when: text.min(1).max(1_024).optional().describe('Skipped unless this is true'),
  ...doing,
  resource: resourceForm.optional().describe('A manifest that is applied and waited for'),
  suspend: suspendForm.optional().describe('A wait for an approval, or for a while'),
  continueOnFailure: z.boolean().optional().describe('Others go on as if it had succeeded'),
  outputs: z.record(stepName, z.unknown()).optional().describe('By name, templates over ${result}; else all of the result'),
  cache: z
    .strictObject({ key: text.min(1).max(512), maxAge: duration.optional().describe('24h') })
    .optional()
    .describe('The result of an earlier step of the same key stands for its own'),
  compensate: undoSpec.optional().describe('Undoes it when the run fails or is cancelled'),
  withItems: z
    .union([z.array(z.unknown()).max(MAX_STEPS), templated(z.never())])
    .optional()
    .describe('Once for each'),
  withParam: z
    .union([text, z.array(z.unknown()).max(MAX_STEPS)])
    .optional()
    .describe('The same, of a list or of JSON text'),
  withSequence: z
    .strictObject({
      start: number.optional(),
      end: number.optional(),
      count: templated(z.int().min(0).max(MAX_STEPS)).optional(),
      format: z.string().max(64).optional(),
    })
    .optional()
    .describe('Once for each number from start to end, or for count of them'),
  parallelism: z.int().min(1).max(MAX_STEPS).optional().describe('How many of a loop, or of nested steps, at once'),
};

type Flat = z.infer<z.ZodObject<typeof shape>>;

/** One step as people write it. */
export interface StepSpec extends Flat {
  readonly steps?: readonly StepSpec[] | undefined;
}

/** Checks each step by itself; what lies between steps is checked by `flowClashes`. */
export const stepSpec: z.ZodType<StepSpec> = z.strictObject({
  ...shape,
  steps: z
    .lazy(() => z.array(stepSpec).min(1).max(MAX_STEPS))
    .optional()
    .describe('Steps of its own'),
});

export const onFailure = z.strictObject({
  notify: z
    .array(text.min(1).max(2_048))
    .max(20)
    .optional()
    .describe('Addresses: URLs are posted to, others go to task queue notifications'),
  retry: retry.optional().describe('Of every step that has none of its own'),
});

const failFast = z.union([z.boolean(), z.strictObject({ abortRunning: z.boolean().optional() })]);

/** What a Workflow and a run of it have in common. */
export const flowFields = {
  steps: z.array(stepSpec).min(1).max(MAX_STEPS).describe('What is done, in the order of their dependencies'),
  onExit: z
    .union([stepSpec, z.array(stepSpec).min(1).max(100)])
    .optional()
    .describe('Done at the end, whatever it was; sees ${run.status}'),
  onFailure: onFailure.optional(),
  failFast: failFast.optional().describe('true: after a failure nothing new starts; {abortRunning: true}: and what runs is cancelled'),
  abortRunning: z.boolean().optional().describe('The same: what runs is cancelled after a failure'),
  parallelism: z.int().min(1).max(MAX_STEPS).optional().describe('Steps at once'),
  timeout: duration.optional().describe('Of the whole run'),
  outputs: z.record(stepName, z.unknown()).optional().describe('By name, templates over ${steps.x.outputs.y}'),
  ttlSecondsAfterFinished: z.int().min(0).max(31_536_000).optional().describe('Then the run deletes itself'),
};
const flow = z.strictObject(flowFields);

export type Flow = z.infer<typeof flow>;

/** The steps at the end, as a list. */
export const exitSteps = ({ onExit }: Pick<Flow, 'onExit'>): readonly StepSpec[] =>
  onExit === undefined ? [] : Array.isArray(onExit) ? onExit : [onExit as StepSpec];
