import type { z } from 'zod';
import { sentenceOf } from '../issues/index.ts';
import { quote } from '../quote.ts';

/** The list that a zod check adds to. */
export type Issues = z.core.$ZodRawIssue[];

/** Adds one problem of this value, or of a field of it. */
export function refuse(issues: Issues, input: unknown, message: string, path: readonly (string | number)[] = []): void {
  issues.push({ code: 'custom', message, path: [...path], input, continue: true });
}

/** Adds that the value is of none of these types. */
export function refuseType(issues: Issues, input: unknown, types: readonly string[]): void {
  const message = `must be ${types.join(' or ')} (got ${quote(input)})`;
  issues.push({ code: 'custom', message, params: { types }, path: [], input, continue: true });
}

/** What a schema says against a value, in sentences; undefined when it fits. */
export function objections(schema: z.ZodType, value: unknown): readonly z.core.$ZodIssue[] | undefined {
  const parsed = schema.safeParse(value, { error: sentenceOf });
  return parsed.success ? undefined : parsed.error.issues;
}

/** Nobody reads more than these. */
const MAX_ADOPTED = 1_000;

/** Makes what a schema says against the value a problem of this one. */
export function adopt(issues: Issues, schema: z.ZodType, value: unknown): void {
  for (const issue of objections(schema, value)?.slice(0, MAX_ADOPTED) ?? [])
    issues.push({ ...issue, input: value, continue: true } as z.core.$ZodRawIssue);
}
