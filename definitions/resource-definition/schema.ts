import { z } from 'zod';
import type { HandlerRef } from '../core/decision.ts';
import type { Names, PrinterColumn } from '../core/kind.ts';
import { dnsLabel, dnsSubdomain, kindName, textThat } from '../core/metadata.ts';
import type { JsonObject } from '../core/resource.ts';

/** What a definition says of a kind, in the one form that is stored. */
export interface DefinitionSpec {
  readonly group: string;
  readonly version: string;
  readonly names: Names;
  readonly scope: 'Namespaced' | 'Cluster';
  /** JSON Schema of the spec; absent: anything goes. */
  readonly schema?: JsonObject;
  /** For people and tools; a status is not checked against it. */
  readonly statusSchema?: JsonObject;
  /** Null, said aloud: nobody handles the kind, its resources are stored and that is all. */
  readonly handler: HandlerRef | null;
  readonly columns: readonly PrinterColumn[];
}

const MAX_SHORT_NAMES = 10;
const MAX_COLUMNS = 20;
const DAY_S = 24 * 3600;

/** Queues on which colony's own work runs: a stranger's definition must not be able to call that. */
const isOwnQueue = (queue: string): boolean => queue === 'colony' || queue.startsWith('colony-') || /^(temporal-sys|\/_sys)/.test(queue);
const isCallable = (text: string): boolean => text.length <= 200 && /^[A-Za-z0-9_][A-Za-z0-9_.:/-]*$/.test(text);
const callable = textThat(isCallable, 'a word of letters, digits, "_", "-", ".", ":" and "/", at most 200');

const missingHandler = 'is required: {executorType, functionName}, or null for a kind that nobody handles';

const handler = z
  .strictObject(
    {
      executorType: callable.refine(
        (queue) => !isOwnQueue(queue),
        'is the name of a queue of colony itself; choose one that does not begin with "colony-" or "temporal-sys"',
      ),
      functionName: callable,
      reconcileInterval: z
        .number()
        .min(0)
        .max(30 * DAY_S)
        .optional()
        .describe('Seconds between two looks at a settled resource; 0 for none'),
      timeout: z.number().positive().max(DAY_S).optional().describe('Seconds that one call may take'),
      heartbeat: z.number().positive().max(DAY_S).optional().describe('Seconds without a heartbeat after which a call counts as lost'),
    },
    { error: ({ input }) => (input === undefined ? missingHandler : undefined) },
  )
  .transform(({ reconcileInterval, ...rest }) => ({ ...rest, ...(reconcileInterval ? { reconcileInterval } : {}) }));

const names = z
  .strictObject({
    kind: kindName,
    listKind: kindName.optional(),
    singular: dnsLabel.optional(),
    plural: dnsLabel,
    shortNames: z
      .array(dnsLabel)
      .max(MAX_SHORT_NAMES)
      .refine((list) => new Set(list).size === list.length, 'has a short name twice')
      .optional(),
  })
  .transform(
    ({ kind, plural, listKind, singular, shortNames }): Names => ({
      kind,
      listKind: listKind ?? `${kind}List`,
      singular: singular ?? kind.toLowerCase(),
      plural,
      shortNames: shortNames ?? [],
    }),
  );

const column = z.strictObject({
  name: z.string().min(1).max(60),
  jsonPath: textThat((text) => text.length <= 300 && text.startsWith('.'), 'a path that begins with a dot such as .spec.replicas'),
  type: z.enum(['string', 'integer', 'number', 'boolean', 'date']),
  priority: z.int().min(0).optional(),
});

/** The spec of a definition; what is not said of its names is filled in as ColonyOS does it. */
export const definitionSpec = z.strictObject({
  group: dnsSubdomain,
  version: dnsLabel,
  names,
  scope: z.enum(['Namespaced', 'Cluster']),
  schema: z.record(z.string(), z.unknown()).optional(),
  statusSchema: z.record(z.string(), z.unknown()).optional(),
  handler: z.nullable(handler),
  columns: z.array(column).max(MAX_COLUMNS).default([]),
}) as unknown as z.ZodType<DefinitionSpec>;
