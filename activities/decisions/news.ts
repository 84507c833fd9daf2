import { z } from 'zod';
import { laneOf } from '../../definitions/core/children.ts';
import type { Mail, Verdict } from '../../definitions/core/decision.ts';
import type { ChildNews } from '../../definitions/core/family.ts';
import { identityOf } from '../../definitions/core/identity.ts';
import { checkWith } from '../../definitions/core/issues/index.ts';
import { jsonBytes } from '../../definitions/core/json.ts';
import { limits } from '../../definitions/core/limits.ts';
import type { JsonObject } from '../../definitions/core/resource.ts';
import { REPORTED } from '../../definitions/handled/plan.ts';
import { findBuiltIn } from '../../definitions/kinds.ts';
import { invalid, isObject } from './refusal.ts';
import type { Working } from './working.ts';

/** What shall become of a message that needs no kind to be judged: deletion, news from the world, hints. */
export function admitNews(mail: Mail, working: Working, kind: string): Verdict {
  switch (mail.type) {
    case 'delete':
      return admitDelete(mail.body);
    case 'status':
      return admitStatus(mail.body, working, kind);
    case 'observed':
      return admitObservation(mail.body, working);
    case 'reconcile':
      return { verdict: 'hint', nudge: true };
    case 'child':
      return admitChild(mail.body, working);
    default:
      return { verdict: 'ignore', message: `nobody knows a signal called ${JSON.stringify(mail.type).slice(0, 80)}` };
  }
}

const deleteShape = z.object({
  propagation: z.enum(['Background', 'Foreground', 'Orphan']).optional(),
  force: z.boolean().optional(),
  uid: z.string().max(255).optional(),
});

/** A word that was meant otherwise must not delete anything, and `"force": "false"` is no force. */
function admitDelete(body: unknown): Verdict {
  const checked = checkWith(deleteShape, body ?? {}, '');
  return 'issues' in checked ? invalid(checked.issues) : { verdict: 'delete' };
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
  const reported = { ...earlier, ...own };
  const bytes = jsonBytes(reported);
  if (bytes > limits.statusBytes) return tooLarge(`all that was reported of the status would be ${bytes} bytes`, limits.statusBytes);
  return { verdict: 'write', change: { remember: { [REPORTED]: reported } } };
}

const MAX_LANE_CHARS = 253;

function admitObservation(body: unknown, { observed }: Working): Verdict {
  const about = isObject(body) ? body.about : undefined;
  if (!isObject(body) || typeof about !== 'string' || about === '' || about === '__proto__' || about.length > MAX_LANE_CHARS) {
    return invalid([{ path: 'about', message: `must name a lane, in at most ${MAX_LANE_CHARS} characters` }]);
  }
  const others = Object.entries(observed).filter(([lane, { key }]) => lane !== about && key === 'observed');
  const bytes = jsonBytes([...others.map(([, { value }]) => value), body.value ?? null]);
  if (bytes > limits.observedBytes) return tooLarge(`all that was observed would be ${bytes} bytes`, limits.observedBytes);
  return { verdict: 'write', change: { remember: { [about]: body.value ?? null } } };
}

const MAX_CHILDREN_BYTES = 512 * 1024;
const word = z.string().max(255);

const newsShape = z.object({
  id: word.min(1).refine((id) => identityOf(id) !== undefined),
  uid: word.min(1),
  apiVersion: word,
  kind: word,
  name: word,
  resourceVersion: z.string().regex(/^\d{1,20}$/),
  generation: z.int().min(0),
  observedGeneration: z.int().min(0).optional(),
  phase: word,
  ready: z.enum(['True', 'False', 'Unknown']),
  reason: word,
  message: z.string().max(limits.messageChars),
  values: z.record(z.string(), z.unknown()).optional(),
  deleting: z.literal(true).optional(),
  gone: z.literal(true).optional(),
});

/** News of a child is kept when it is newer than what is known; what is no news, or too much, is a hint to think again. */
function admitChild(body: unknown, { observed }: Working): Verdict {
  const checked = newsShape.safeParse(body);
  if (!checked.success) return { verdict: 'hint', nudge: false };
  const news = checked.data;
  const lane = laneOf(news.id);
  const known = observed[lane]?.value as ChildNews | undefined;
  if (known && Number(known.resourceVersion) > Number(news.resourceVersion)) return { verdict: 'hint', nudge: false };
  const others = Object.entries(observed).filter(([about, { key }]) => about !== lane && key === 'child');
  if (jsonBytes([...others.map(([, { value }]) => value), news]) > MAX_CHILDREN_BYTES) {
    return {
      verdict: 'ignore',
      message: `the news of ${news.id} is too much: the news of all children may have ${MAX_CHILDREN_BYTES} bytes`,
    };
  }
  return { verdict: 'write', change: { remember: { [lane]: news } } };
}

const tooLarge = (what: string, limit: number): Verdict => ({
  verdict: 'refuse',
  type: 'TooLarge',
  message: `${what}, at most ${limit} are allowed`,
});
