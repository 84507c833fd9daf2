import type { z } from 'zod';
import type { Issue } from '../kind.ts';
import { issuesOf } from './issues-of.ts';
import { sentenceOf } from './sentence.ts';

/** A value that fits, with its defaults; or all that is wrong with it. */
export type Checked<T> = { readonly value: T } | { readonly issues: readonly Issue[] };

/** Parses a value by a schema and says everything that is wrong in sentences for people, each with its path. */
export function checkWith<T>(schema: z.ZodType<T>, input: unknown, root: string): Checked<T> {
  const parsed = schema.safeParse(input, { error: sentenceOf });
  return parsed.success ? { value: parsed.data } : { issues: issuesOf(parsed.error, root) };
}
