import { z } from 'zod';
import type { DefinitionSnapshot } from '../core/decision.ts';
import type { FieldChange } from '../core/diff.ts';
import type { JsonObject, Metadata, Status } from '../core/resource.ts';

/** What a handler is called with: one JSON object, the same in every language. */
export interface HandlerRequest {
  readonly operation: 'reconcile' | 'finalize';
  readonly action: 'create' | 'update' | 'delete' | 'noop';
  readonly apiVersion: string;
  readonly kind: string;
  /** Field by field, when the action is `update` and the earlier spec is still known. */
  readonly changes: readonly FieldChange[];
  /** The same for every try at the same wish: make effects under it and they happen once. */
  readonly idempotencyKey: string;
  readonly definition: DefinitionSnapshot;
  readonly metadata: Metadata;
  readonly spec: JsonObject;
  readonly status: Status;
}

const conditionClaim = z.object({
  type: z.string().min(1).max(100),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string().max(100).default('Reported'),
  message: z.string().max(1024).default(''),
});

/** What a handler answers; everything may be left out. */
export const handlerResultSchema = z.object({
  status: z.record(z.string(), z.unknown()).default({}),
  conditions: z.array(conditionClaim).max(32).default([]),
  outputs: z.record(z.string(), z.unknown()).optional(),
  /** Manifests of resources to keep for it: applied with it as their owner, deleted when they are no longer named. Absent: as before. */
  children: z.array(z.record(z.string(), z.unknown())).max(100).optional(),
  requeueAfterSeconds: z
    .number()
    .min(0)
    .max(30 * 24 * 3600)
    .optional(),
});

export type HandlerResult = z.input<typeof handlerResultSchema>;

/** Failure types that are not retried until the spec changes or somebody asks to look again. */
export const finalFailures = ['InvalidSpec', 'Forbidden'] as const;
