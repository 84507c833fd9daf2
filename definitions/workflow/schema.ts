import { z } from 'zod';
import { quote } from '../core/quote.ts';
import { flowClashes } from '../flows/clashes.ts';
import { flowFields, paramName } from '../flows/schema.ts';
import { duration } from '../flows/schema-forms.ts';
import { type Clash, complain, repeated } from '../replicas/schema.ts';
import { cronProblem, zoneProblem } from './cron.ts';

/** What becomes of a run that is due while another one has not ended; in the words of Kubernetes, and in those of Temporal. */
export const overlapPolicies = {
  Allow: 'ALLOW_ALL',
  Forbid: 'SKIP',
  Replace: 'CANCEL_OTHER',
  ALLOW_ALL: 'ALLOW_ALL',
  SKIP: 'SKIP',
  CANCEL_OTHER: 'CANCEL_OTHER',
  TERMINATE_OTHER: 'TERMINATE_OTHER',
  BUFFER_ONE: 'BUFFER_ONE',
  BUFFER_ALL: 'BUFFER_ALL',
} as const;

const policy = z.enum(Object.keys(overlapPolicies) as [keyof typeof overlapPolicies]);

const told = (problemOf: (text: string) => string | undefined) =>
  z.string().superRefine((text, context) => {
    const message = problemOf(text);
    if (message !== undefined) complain(context, [{ path: [], message }]);
  });

const cron = told(cronProblem).describe('Minute, hour, day of the month, month, day of the week');
const timezone = told(zoneProblem).describe('Such as Europe/Stockholm; UTC');

const schedule = z.union([
  cron,
  z.strictObject({
    cron,
    timezone: timezone.optional(),
    overlap: policy.optional().describe('Forbid'),
    concurrencyPolicy: policy.optional().describe('The same'),
    catchupWindow: duration.optional().describe('Runs that were missed for no longer than this are made up for; 1m'),
    jitter: duration.optional().describe('Each run starts later by chance, by at most this'),
  }),
]);

const param = z.strictObject({
  name: paramName,
  default: z.unknown().optional(),
  enum: z.array(z.unknown()).min(1).max(100).optional().describe('The values that are allowed'),
  description: z.string().max(1_024).optional(),
});

export type Param = z.infer<typeof param>;

const limit = z.int().min(0).max(100);

const shape = z.strictObject({
  schedule: schedule.optional().describe('When it runs by itself: a cron text, or cron with a time zone and more'),
  timezone: timezone.optional(),
  concurrencyPolicy: policy.optional().describe('Forbid'),
  suspend: z.boolean().optional().describe('It does not run by itself meanwhile'),
  params: z.array(param).max(100).optional().describe('What a run may be given'),
  ...flowFields,
  successfulRunsHistoryLimit: limit.optional().describe('How many runs that succeeded are kept; 10'),
  failedRunsHistoryLimit: limit.optional().describe('How many others are kept; 10'),
});

export type WorkflowSpec = z.infer<typeof shape>;

export const workflowSpec = shape.superRefine((spec, context) => {
  const { params = [] } = spec;
  complain(context, [
    ...flowClashes(
      spec,
      params.map(({ name }) => name),
    ),
    ...repeated(
      params,
      ({ name }) => name,
      (index) => ['params', index, 'name'],
    ),
    ...params.flatMap(paramClashes(spec.schedule !== undefined)),
    ...twice(spec),
  ]);
});

const paramClashes =
  (isScheduled: boolean) =>
  (one: Param, index: number): Clash[] => {
    const at = ['params', index, 'default'];
    if (one.default === undefined) {
      return isScheduled ? [{ path: at, message: 'is required: nobody gives a value when the schedule starts a run' }] : [];
    }
    const isAllowed = !one.enum || one.enum.some((value) => JSON.stringify(value) === JSON.stringify(one.default));
    return isAllowed ? [] : [{ path: at, message: `must be one of the values in enum (got ${quote(one.default)})` }];
  };

/** What stands in two places must be said once. */
function twice({ schedule: given, timezone: zone, concurrencyPolicy }: WorkflowSpec): Clash[] {
  if (typeof given !== 'object') return [];
  const message = 'stands in the schedule already: leave one of them out';
  return [
    ...(zone !== undefined && given.timezone !== undefined ? [{ path: ['timezone'], message }] : []),
    ...(given.overlap !== undefined && given.concurrencyPolicy !== undefined ? [{ path: ['schedule', 'overlap'], message }] : []),
    ...(concurrencyPolicy !== undefined && (given.overlap ?? given.concurrencyPolicy) !== undefined
      ? [{ path: ['concurrencyPolicy'], message }]
      : []),
  ];
}

const historyEntry = z.object({ runId: z.string(), startTime: z.string(), endTime: z.string().optional(), status: z.string() });

/** One run, as the document shows it. */
export type HistoryEntry = Readonly<z.infer<typeof historyEntry>>;

export const workflowStatus = z.object({
  lastRun: z.string().optional().describe('When the last run started'),
  nextRun: z.string().optional().describe('When the schedule starts the next one, seen from the last change'),
  schedule: z.string().optional().describe('The cron text of the schedule, in whichever form the spec has it'),
  timezone: z.string().optional().describe('In which the schedule is meant'),
  completedSteps: z.int().optional().describe('Of the last run'),
  totalSteps: z.int().optional().describe('Of the last run, else of the spec'),
  duration: z.string().optional().describe('Of the last run that has ended'),
  active: z.array(z.string()).readonly().describe('Names of the runs that have not ended'),
  history: z.array(historyEntry).readonly(),
});

export type WorkflowStatus = z.infer<typeof workflowStatus>;
