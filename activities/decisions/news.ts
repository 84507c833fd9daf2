import type { Mail, Verdict } from '../../definitions/core/decision.ts';
import type { JsonObject } from '../../definitions/core/resource.ts';
import { REPORTED } from '../../definitions/handled/plan.ts';
import { findBuiltIn } from '../../definitions/kinds.ts';
import { invalid, isObject } from './refusal.ts';
import type { Working } from './working.ts';

/** What shall become of a message that needs no kind to be judged: deletion, news from the world, hints. */
export function admitNews(mail: Mail, working: Working, kind: string): Verdict {
  switch (mail.type) {
    case 'delete':
      return { verdict: 'delete' };
    case 'status':
      return admitStatus(mail.body, working, kind);
    case 'observed':
      return admitObservation(mail.body);
    case 'reconcile':
      return { verdict: 'hint', nudge: true };
    case 'child':
      return { verdict: 'hint', nudge: false };
    case 'oversize': {
      const { type, size } = mail.body as { type: string; size: number };
      return { verdict: 'refuse', type: 'TooLarge', message: `a ${type} of ${size} bytes is too large` };
    }
    default:
      return { verdict: 'ignore', message: `nobody knows a signal called ${JSON.stringify(mail.type).slice(0, 80)}` };
  }
}

function admitStatus(body: unknown, working: Working, kind: string): Verdict {
  if (findBuiltIn(working.apiVersion ?? '', kind)) {
    return { verdict: 'refuse', type: 'Forbidden', message: `the status of a ${kind} is written by colony itself` };
  }
  if (!working.spec) return { verdict: 'refuse', type: 'NotFound', message: 'the resource does not exist' };
  const status = isObject(body) ? body.status : undefined;
  if (!isObject(status)) return invalid([{ path: 'status', message: 'must be an object' }]);
  const earlier = working.observed[REPORTED]?.value as JsonObject | undefined;
  const { observedGeneration: _generation, conditions: _conditions, ...own } = status;
  return { verdict: 'write', change: { remember: { [REPORTED]: { ...earlier, ...own } } } };
}

function admitObservation(body: unknown): Verdict {
  const about = isObject(body) ? body.about : undefined;
  if (!isObject(body) || typeof about !== 'string' || about === '') return invalid([{ path: 'about', message: 'must name a lane' }]);
  return { verdict: 'write', change: { remember: { [about]: body.value } } };
}
