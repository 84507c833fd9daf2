import { withPassedSecrets } from '../core/passed-secrets.ts';
import { fieldOf, typeOf } from './form.ts';
import type { StepSpec } from './schema.ts';

/** What expressions may speak of. */
export const ROOTS = ['params', 'steps', 'run'] as const;
export const LOOP_ROOTS = ['item', 'index'] as const;

/** What decides how often a step is done: computed once, before any of its iterations. */
export function loopPartOf({ withItems, withParam, withSequence }: StepSpec): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ withItems, withParam, withSequence }).filter(([, value]) => value !== undefined));
}

/** What a step does, as templates: the form, and how long and under which key; nested steps are their own. Secrets stay named. */
export function doingPartOf(step: StepSpec): Record<string, unknown> {
  const type = typeOf(step);
  const form = step[fieldOf(type) as keyof StepSpec];
  const cache = step.cache && { key: step.cache.key };
  return {
    ...(type === 'steps' ? {} : { [fieldOf(type)]: withPassedSecrets(type === 'resource' ? resourcePart(form) : form) }),
    ...(cache ? { cache } : {}),
    ...(step.timeout === undefined ? {} : { timeout: step.timeout }),
  };
}

/** Only the manifest is filled: the conditions speak of what it made. */
function resourcePart(form: unknown): unknown {
  return { manifest: (form as { readonly manifest: unknown }).manifest };
}
