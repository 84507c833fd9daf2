import { sentenceOf } from '../docker/errors.ts';
import { Problem, Unreachable } from '../runtime.ts';

/** The cluster answered, and said no. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';

  constructor(
    readonly status: number,
    /** The cluster's own words, as one line. */
    readonly sentence: string,
  ) {
    super(`the Kubernetes cluster says ${status}: ${sentence}`);
  }
}

/** What a call of the library failed with, in our words: an answer of the cluster, or none. */
export function clusterError(error: unknown): ClusterError | Unreachable {
  if (error instanceof ClusterError || error instanceof Unreachable) return error;
  const { code, body } = (error ?? {}) as { code?: unknown; body?: unknown };
  return typeof code === 'number' ? answerOf(code, body) : outage(error);
}

/** The answer of the cluster that is not the one wished for. */
export function answerOf(status: number, body: unknown): ClusterError {
  const { message, reason } = statusIn(body);
  return new ClusterError(status, sentenceOf(message ?? reason ?? (typeof body === 'string' ? body : 'no reason given')));
}

/** No answer, or none that helps. */
export function outage(error: unknown): Unreachable {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const why = typeof code === 'string' ? code : sentenceOf(String(message ?? error));
  return new Unreachable(`the Kubernetes cluster cannot be asked (${why})`, { cause: error });
}

export const isStatus = (error: unknown, ...statuses: readonly number[]): error is ClusterError =>
  error instanceof ClusterError && statuses.includes(error.status);

/** Where nothing but an answer helps, whatever the cluster says instead of it is an outage. */
export function unknown(error: unknown): unknown {
  return error instanceof ClusterError ? outage(error) : error;
}

const LATER = [401, 408, 429];

/** Why a wish cannot be handed over, in words that a person can act on. */
export function refusal(error: unknown, namespace: string): unknown {
  if (!(error instanceof ClusterError)) return error;
  const { status, sentence } = error;
  if (status >= 500 || LATER.includes(status)) return outage(error);
  if (status === 404) {
    return new Problem('Blocked', `namespace ${namespace} is not there in the cluster: make it, or name another in spec.config.namespace`);
  }
  return new Problem('Blocked', `the Kubernetes cluster refuses it: ${sentence}`);
}

function statusIn(body: unknown): { readonly message?: string; readonly reason?: string } {
  if (typeof body === 'object' && body !== null) return body;
  try {
    const parsed: unknown = JSON.parse(String(body));
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
