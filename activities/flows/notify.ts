import { ApplicationFailure } from '@temporalio/activity';
import type { JsonObject } from '../../definitions/core/resource.ts';
import { whileReporting } from '../instances/reporting.ts';
import type { Revealer } from '../secrets/revealer.ts';
import type { HttpPolicy } from './http-policy.ts';
import { requestHttp } from './http-request.ts';

export interface NotifyRequest extends JsonObject {
  /** An http or https address. Other ones belong to whoever serves the task queue `notifications`. */
  readonly to: string;
  readonly idempotencyKey?: string;
}

export interface Notified {
  readonly status: number;
}

const TIMEOUT_MS = 10_000;

/**
 * The activity `notify`: posts what happened to a run to an address. Secrets that the address names are put in here; those that the
 * news name are only named.
 */
export function createNotify(policy: HttpPolicy, revealer: Revealer): (request: NotifyRequest) => Promise<Notified> {
  return ({ to, idempotencyKey, ...news }) =>
    whileReporting(async ({ signal }) => {
      if (!/^https?:/i.test(to)) {
        const message = `${JSON.stringify(to)} is no http address; serve the task queue notifications to be told in other ways`;
        throw ApplicationFailure.nonRetryable(message, 'AddressUnknown');
      }
      const key = idempotencyKey === undefined ? {} : { idempotencyKey };
      const { value, ...seal } = await revealer.open({ url: to });
      const request = { url: to, body: news, timeoutMs: TIMEOUT_MS, ...key };
      const { status } = await requestHttp(request, policy, signal, { ...seal, value: { ...value, body: news } });
      return { status };
    });
}
