import type { Verdict } from '../../definitions/core/decision.ts';
import type { Issue } from '../../definitions/core/kind.ts';

/** A refusal that says everything that is wrong, in one sentence and as a list. */
export function invalid(issues: readonly Issue[]): Verdict {
  const shown = issues.slice(0, 20);
  const text = shown.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
  const more = issues.length > shown.length ? ` (and ${issues.length - shown.length} more)` : '';
  return { verdict: 'refuse', type: 'Invalid', message: `${text}${more}`.slice(0, 4000), issues: shown };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
