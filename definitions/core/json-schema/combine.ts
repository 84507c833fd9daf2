import type { z } from 'zod';
import { always } from '../always.ts';
import type { Schema } from './schema.ts';
import { adopt, objections, refuse } from './verdict.ts';

/** Adds what `allOf`, `anyOf`, `oneOf` and `not` demand of the same value. */
export function combine(base: z.ZodType, schema: Schema, convert: (schema: Schema) => z.ZodType): z.ZodType {
  const all = schema.allOf.map(convert);
  const any = schema.anyOf.map(convert);
  const one = schema.oneOf.map(convert);
  const not = schema.not && convert(schema.not);
  if (all.length + any.length + one.length === 0 && !not) return base;

  const tried = (branches: readonly z.ZodType[], value: unknown) => branches.map((branch) => objections(branch, value));

  return base.check(
    always((payload) => {
      const { value, issues } = payload;
      for (const branch of all) adopt(issues, branch, value);
      if (any.length > 0) noneFits(payload, tried(any, value));
      if (one.length > 0) {
        const answers = tried(one, value);
        noneFits(payload, answers);
        const fitting = answers.filter((answer) => !answer).length;
        if (fitting > 1) refuse(issues, value, 'fits more than one of the allowed forms; it must fit exactly one');
      }
      if (not && !objections(not, value)) refuse(issues, value, 'is of a form that is not allowed');
    }),
  );
}

function noneFits({ value, issues }: z.core.ParsePayload, answers: readonly (readonly z.core.$ZodIssue[] | undefined)[]): void {
  const errors = answers.filter((answer) => answer !== undefined);
  if (errors.length < answers.length) return;
  issues.push({
    code: 'invalid_union',
    errors: errors as z.core.$ZodIssue[][],
    message: 'fits none of the allowed forms',
    path: [],
    input: value,
    continue: true,
  });
}
