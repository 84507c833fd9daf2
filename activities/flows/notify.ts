import { ApplicationFailure } from '@temporalio/activity';
import type { JsonObject } from '../../definitions/core/resource.ts';
import { whileReporting } from '../instances/reporting.ts';
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

/** The activity `notify`: posts what happened to a run to an address. */
export function createNotify(policy: HttpPolicy): (request: NotifyRequest) => Promise<Notified> {
  return ({ to, idempotencyKey, ...news }) =>
    whileReporting(async ({ signal }) => {
      if (!/^https?:/i.test(to)) {
        const message = `${JSON.stringify(to)} is no http address; serve the task queue notifications to be told in other ways`;
        throw ApplicationFailure.nonRetryable(message, 'AddressUnknown');
      }
      const key = idempotencyKey === undefined ? {} : { idempotencyKey };
      const { status } = await requestHttp({ url: to, body: news, timeoutMs: TIMEOUT_MS, ...key }, policy, signal);
      return { status };
    });
}
