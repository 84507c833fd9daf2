import { z } from 'zod';
import { apiVersion, dnsLabel, kindName, manifestMetadata } from '../core/metadata.ts';
import { complain } from '../replicas/schema.ts';
import { clashesOf } from './clashes.ts';

export const MAX_COMPONENTS = 100;
const MAX_PARAMS = 100;
const MAX_OUTPUTS = 50;
const MAX_EXPRESSION = 1_024;

/** A name that expressions can say: `params.replicas`. */
const word = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/);
const value = z.unknown().refine((given) => given !== undefined && given !== null, 'must have a value');
const expression = z.string().min(1).max(MAX_EXPRESSION);
const fields = z.record(z.string(), z.unknown());

const component = z.strictObject({
  name: dnsLabel
    .optional()
    .describe('Default: the kind in small letters, the second of a kind with -2; the resource is <application>-<name>'),
  kind: kindName,
  apiVersion: apiVersion.optional().describe('Needed only where several kinds have that name'),
  spec: fields.default({}).describe('Of the resource; ${…} anywhere in its texts: params.x, components.y.status.z, components.y.secret.z'),
  labels: manifestMetadata.shape.labels.describe('Of the resource'),
  dependsOn: z.array(z.string()).max(MAX_COMPONENTS).optional().describe('Must be ready before it, beside those that its spec refers to'),
  when: z.union([z.boolean(), expression]).optional().describe('Whether it is wanted: an expression over params and components'),
  readyWhen: expression
    .optional()
    .describe('What must be true beside its condition Ready: an expression over self.status, self.phase and params'),
  deletionPolicy: z
    .enum(['Delete', 'Orphan'])
    .default('Delete')
    .describe('Orphan: it stays when it is no longer wanted, and belongs to nobody'),
});

const updatePolicy = z.strictObject({
  onFailure: z
    .enum(['Pause', 'Rollback'])
    .default('Pause')
    .describe('Pause: nothing further is begun; Rollback: everything goes back to the last good set'),
  progressDeadlineSeconds: z.int().min(1).max(604_800).default(600).describe('How long a release may stand still before it has failed'),
});

export const applicationSpec = z
  .strictObject({
    params: z
      .record(word, value)
      .refine((params) => Object.keys(params).length <= MAX_PARAMS, `must have at most ${MAX_PARAMS} params`)
      .optional()
      .describe('Values that components refer to as ${params.name}'),
    components: z.array(component).max(MAX_COMPONENTS),
    outputs: z
      .record(word, value)
      .refine((outputs) => Object.keys(outputs).length <= MAX_OUTPUTS, `must have at most ${MAX_OUTPUTS} outputs`)
      .optional()
      .describe('What status.outputs tells: a text with ${…} for each name'),
    prune: z.boolean().default(true).describe('Whether what is no longer among the components is deleted'),
    suspend: z.boolean().optional().describe('Nothing is begun while this is true'),
    updatePolicy: updatePolicy.optional(),
  })
  .superRefine((spec, context) => complain(context, clashesOf(spec)));

export type ApplicationSpec = z.infer<typeof applicationSpec>;
export type ComponentSpec = z.infer<typeof component>;
export type UpdatePolicy = z.infer<typeof updatePolicy>;

const ref = z.object({ apiVersion: z.string(), kind: z.string(), namespace: z.string().optional(), name: z.string() });

const componentReport = z.object({
  name: z.string(),
  kind: z.string(),
  ref: ref.optional().describe('Absent until it is made'),
  phase: z.string().describe('Its own, or Waiting, Pending, Blocked, Skipped, Leaving, Kept, Gone'),
  ready: z.boolean(),
  waitingFor: z.array(z.string()).optional(),
  message: z.string().optional(),
  appliedGeneration: z.int().optional().describe('The generation that it got from its application'),
});

export type ComponentReport = Readonly<z.infer<typeof componentReport>>;

export const releasePhases = ['Progressing', 'Complete', 'Failed', 'RollingBack', 'RolledBack'] as const;

const release = z.object({
  generation: z.int(),
  phase: z.enum(releasePhases),
  startedAt: z.string(),
  progressedAt: z.string().describe('When it last came nearer to its end'),
  ready: z.int().describe('Components that were ready then'),
  message: z.string(),
  returning: z.array(z.string()).optional().describe('Components that the failed release had changed and that go back'),
  waves: z.array(z.array(z.string())).optional().describe('The way back: those first that need others'),
  wave: z.int().optional().describe('How many of them are behind it'),
});

/** One release as one decision: what it came to stands in the status, so that whoever takes over goes on from there. */
export type Release = Readonly<z.infer<typeof release>>;

const inventoryEntry = z.object({
  component: z.string(),
  kind: z.string(),
  name: z.string(),
  dependsOn: z.array(z.string()).optional(),
  deletionPolicy: z.literal('Orphan').optional(),
});

/** What is remembered of a child beside the core's own inventory: who must go before it, and whether it goes at all. */
export type InventoryEntry = Readonly<z.infer<typeof inventoryEntry>>;

export const applicationStatus = z.object({
  components: z.array(componentReport).readonly(),
  readyComponents: z.string().describe('2/3'),
  outputs: fields.optional(),
  release: release.optional(),
  stableGeneration: z.int().optional().describe('The last generation at which all were ready'),
  stableValues: z.record(z.string(), fields).optional().describe('What components told each other then'),
  inventory: z.array(inventoryEntry).readonly(),
});

export type ApplicationStatus = Readonly<z.infer<typeof applicationStatus>>;
