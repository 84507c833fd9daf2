import type { LogChunk, LogOptions } from '../runtime.ts';
import { isStatus, outage, unknown } from './errors.ts';
import { CONTAINER } from './pod-spec.ts';
import type { Pods } from './pods.ts';

/** What a pod said; Kubernetes does not keep apart what came by which stream. */
export async function* logsOf(
  pods: Pods,
  id: string,
  { follow, tail, previous, timestamps, signal }: LogOptions,
): AsyncGenerator<LogChunk> {
  const { namespace, name } = await pods.find(id);
  const query = {
    container: CONTAINER,
    follow: String(follow),
    previous: String(previous),
    timestamps: String(timestamps),
    ...(tail === undefined ? {} : { tailLines: String(tail) }),
  };
  try {
    const answer = await pods.cluster.open(`/api/v1/namespaces/${namespace}/pods/${name}/log`, query, signal);
    for await (const data of answer as AsyncIterable<Uint8Array>) yield { stream: 'stdout', data };
  } catch (error) {
    if (signal.aborted) return;
    // There was no life before, or the only one has not begun.
    if (isStatus(error, 400)) {
      if (previous) return;
      throw new Error(`it has said nothing yet: ${error.sentence}`);
    }
    const known = unknown(error);
    throw known instanceof Error && known.name === 'Unreachable' ? known : outage(error);
  }
}
