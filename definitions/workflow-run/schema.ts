import { z } from 'zod';
import { flowClashes } from '../flows/clashes.ts';
import { flowFields, paramName } from '../flows/schema.ts';
import { complain } from '../replicas/schema.ts';

const shape = z.strictObject({
  workflow: z.string().min(1).max(253).optional().describe('Of which Workflow it is a run; it needs none'),
  params: z.record(paramName, z.unknown()).optional().describe('By name, for ${params.x}'),
  ...flowFields,
  suspend: z.boolean().optional().describe('Nothing new starts meanwhile'),
});

export type WorkflowRunSpec = z.infer<typeof shape>;

export const workflowRunSpec = shape.superRefine((spec, context) => complain(context, flowClashes(spec, Object.keys(spec.params ?? {}))));

export const stepPhases = ['Pending', 'Running', 'Suspended', 'Succeeded', 'Failed', 'Skipped', 'Omitted', 'Cancelled'] as const;

export type StepPhase = (typeof stepPhases)[number];

export const runPhases = ['Pending', 'Running', 'Suspended', 'Paused', 'Succeeded', 'Failed', 'Cancelled', 'Terminated'] as const;

export type RunPhase = (typeof runPhases)[number];

const iterations = z.object({
  total: z.int(),
  succeeded: z.int(),
  running: z.int().optional(),
  skipped: z.int().optional(),
  failed: z.int().optional(),
  failedIndices: z.array(z.int()).readonly().optional().describe('The first fifty'),
});

export const stepStatus = z.object({
  phase: z.enum(stepPhases),
  reason: z.string().optional(),
  message: z.string().optional(),
  startedAt: z.string().optional(),
  finishedAt: z.string().optional(),
  attempts: z.int().optional().describe('1 if left out of a step that has started'),
  attemptAt: z.string().optional().describe('Of a resource that was made anew: when the last attempt began'),
  retryAt: z.string().optional().describe('Of a resource that has failed: when it is made anew'),
  outputs: z.record(z.string(), z.unknown()).optional(),
  iterations: iterations.optional().describe('Of a loop'),
});

export type StepStatus = Readonly<z.infer<typeof stepStatus>>;

const ending = z.object({
  status: z.enum(['Succeeded', 'Failed', 'Cancelled']),
  reason: z.string(),
  message: z.string(),
  at: z.string(),
  retries: z.int(),
});

/** How the steps came out, while what is done at the end is still under way. */
export type Ending = Readonly<z.infer<typeof ending>>;

const notification = z.object({
  to: z.string(),
  phase: z.enum(['Sending', 'Sent', 'Failed']),
  message: z.string().optional().describe('Why it was not told'),
});

/** What came of telling one address of a failure. */
export type Notification = Readonly<z.infer<typeof notification>>;

export const workflowRunStatus = z.object({
  progress: z.string().describe('ended of all, such as 3/7'),
  completedSteps: z.int(),
  totalSteps: z.int(),
  startedAt: z.string().optional(),
  finishedAt: z.string().optional(),
  duration: z.string().optional().describe('1h23m45s'),
  message: z.string().optional(),
  steps: z.record(z.string(), stepStatus).describe('By path: load, outer.inner, each[3], exit.clean-up, undo.load'),
  stepsCut: z.int().optional().describe('How many of the steps that have ended are not shown'),
  outputs: z.record(z.string(), z.unknown()).optional(),
  ending: ending.optional(),
  notifications: z.array(notification).readonly().optional().describe('Who was told of a failure, in the order of onFailure.notify'),
  retries: z.int().optional().describe('How often the failed part was begun again'),
});

export type WorkflowRunStatus = z.infer<typeof workflowRunStatus>;
