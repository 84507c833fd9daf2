import { z } from 'zod';
import { dnsLabel } from '../core/metadata.ts';
import { quote } from '../core/quote.ts';
import { runtimeNames } from '../core/template.ts';
import { readDuration } from '../replicas/quantity.ts';
import { complain, text } from '../replicas/schema.ts';
import { cpus, memory, quantity } from '../replicas/schema-resources.ts';

/** `30`, `"30s"`, `"1h30m"`. */
export const duration = quantity(readDuration);

const TEMPLATE = 'a template with ${…}';

/** A text with at least one `${…}`: what it stands for is known only when the step starts. Any other text is of another type. */
const template = text.refine((value) => value.includes('${'), {
  error: ({ input }) => `must be ${TEMPLATE} (got ${quote(input)})`,
  params: { types: [TEMPLATE] },
  abort: true,
});

/** What is wished, or a template that will be filled with it. */
export const templated = <T>(schema: z.ZodType<T>) => z.union([schema, template]);

const count = templated(z.int().min(0));

/** As ColonyOS writes a function, in both spellings of its names. Only the type of the executor says where it runs; the rest is handed to it. */
export const functionSpec = z.strictObject({
  funcName: text.min(1).max(253).optional().describe('Name of the activity'),
  funcname: text.min(1).max(253).optional().describe('The same'),
  nodename: text.max(253).optional(),
  args: z
    .union([z.array(z.unknown()), template])
    .optional()
    .describe('Handed to the function'),
  kwargs: z
    .union([z.record(z.string(), z.unknown()), template])
    .optional()
    .describe('Handed to the function'),
  priority: templated(z.int()).optional(),
  maxwaittime: templated(z.number().min(-1)).optional().describe('Seconds until an executor must have taken it; -1: no limit'),
  maxexectime: templated(z.number().min(-1)).optional().describe('Seconds that one attempt may take, unless timeout says it; -1: no limit'),
  maxretries: z.int().min(-1).max(10_000).optional().describe('Attempts after the first, unless retry says it; -1: no limit'),
  conditions: z
    .strictObject({
      executorType: text.min(1).max(253).optional().describe('The task queue that its executors poll'),
      executortype: text.min(1).max(253).optional().describe('The same'),
      colonyname: text.optional(),
      executornames: z.array(text).optional(),
      locationname: text.optional(),
      nodes: count.optional(),
      cpu: templated(z.number()).optional(),
      processes: count.optional(),
      processespernode: count.optional(),
      mem: templated(z.number()).optional(),
      memory: templated(z.number()).optional(),
      storage: templated(z.number()).optional(),
      gpu: z.unknown().optional(),
      walltime: templated(z.number()).optional(),
    })
    .optional(),
  label: text.optional(),
  fs: z.unknown().optional(),
  env: z.record(z.string(), z.unknown()).optional(),
  channels: z.array(z.unknown()).optional(),
});

export type FunctionSpec = z.infer<typeof functionSpec>;

/** A manifest that is applied; the step has succeeded when what it made is ready. */
export const resourceForm = z.strictObject({
  manifest: z.looseObject({
    apiVersion: text.optional(),
    kind: text.min(1).max(63),
    metadata: z.looseObject({ name: text.min(1).max(253).optional().describe('Made of the run and the step, if left out') }).optional(),
    spec: z.record(z.string(), z.unknown()).optional(),
  }),
  successCondition: text.min(1).optional().describe('status.phase == "Ready" or the like; left out: its condition Ready'),
  failureCondition: text.min(1).optional().describe('Ends the step; left out: its phase is Failed, Cancelled or Terminated'),
  outputs: z
    .record(z.string().min(1).max(63), z.string().regex(/^(status|spec|metadata)(\.[A-Za-z0-9_-]+)+$/))
    .optional()
    .describe('By name, where in the object: status.endpoint'),
  keep: z.boolean().optional().describe('It stays when the run is deleted'),
});

export type ResourceForm = z.infer<typeof resourceForm>;

const word = text;

/** A container or a process that runs to its end. */
export const runForm = z.strictObject({
  runtime: z.enum(runtimeNames).optional().describe('docker with an image, else local'),
  image: text.min(1).max(512).optional(),
  command: z
    .union([z.array(word).max(1_000), word])
    .optional()
    .describe('Words, or one text for sh -c'),
  args: z.array(word).max(1_000).optional(),
  env: z.union([z.record(z.string(), z.unknown()), z.array(z.strictObject({ name: text.min(1), value: z.unknown() }))]).optional(),
  workingDir: text.optional(),
  node: templated(dnsLabel).optional(),
  resources: z
    .strictObject({ cpu: templated(cpus).optional(), memory: templated(memory).optional() })
    .optional()
    .describe('At most'),
});

export type RunForm = z.infer<typeof runForm>;

export const httpMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const SCHEMES = ['http://', 'https://'];

/** An address that can be called, as far as it is known before the step starts. */
const httpUrl = text
  .min(1)
  .max(8_192)
  .superRefine((url, context) => {
    const [known = '', ...filled] = url.split('${');
    const mayBecomeOne = filled.length > 0 && SCHEMES.some((scheme) => scheme.startsWith(known));
    const isOne = SCHEMES.some((scheme) => known.toLowerCase().startsWith(scheme)) && (filled.length > 0 || URL.canParse(url));
    if (!isOne && !mayBecomeOne)
      complain(context, [{ path: [], message: `must be an address such as https://example.com/x (got ${quote(url)})` }]);
  });

/** One request over HTTP. */
export const httpForm = z.strictObject({
  method: z.enum(httpMethods).optional().describe('GET; POST with a body'),
  url: httpUrl,
  headers: z.record(z.string().min(1).max(256), text).optional(),
  body: z.unknown().optional().describe('A text is sent as it is, anything else as JSON'),
  expect: z
    .union([templated(z.int().min(100).max(599)), z.array(templated(z.int().min(100).max(599))).min(1)])
    .optional()
    .describe('The status codes of success; any below 400 if left out'),
});

export type HttpForm = z.infer<typeof httpForm>;

/** A wait: for somebody's word, or for a while. */
export const suspendForm = z.strictObject({
  message: text.max(1_024).optional().describe('What is asked'),
  duration: templated(duration).optional().describe('Goes on by itself after this'),
  timeout: templated(duration).optional().describe('How long an answer is waited for; for ever if left out'),
  onTimeout: z.enum(['Fail', 'Approve', 'Skip']).optional().describe('Fail'),
});

export type SuspendForm = z.infer<typeof suspendForm>;
