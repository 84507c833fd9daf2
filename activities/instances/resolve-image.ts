import { ApplicationFailure } from '@temporalio/common';
import type { ImageAnswer } from '../../definitions/core/instance.ts';
import type { PullPolicy, RuntimeName } from '../../definitions/core/template.ts';
import { Unreachable } from '../runtimes/runtime.ts';
import { whileReporting } from './reporting.ts';
import { hint } from './sync-instances.ts';
import type { Warden } from './warden.ts';

export interface ResolveRequest {
  readonly runtime: RuntimeName;
  readonly image: string;
  readonly policy: PullPolicy;
}

/** The activity `resolveImage`: what a tag stands for now, pulled if need be. That there is no such image is an answer, not a failure. */
export function createResolveImage({ runtimes, node }: Warden): (request: ResolveRequest) => Promise<ImageAnswer> {
  return ({ runtime: name, image, policy }) =>
    whileReporting(async ({ report, signal }) => {
      const runtime = runtimes.get(name);
      const there = [...runtimes.keys()].join(', ') || 'none';
      if (!runtime) return { image, problem: { reason: 'RuntimeUnavailable', message: hint(name, node, there) } };
      try {
        return await runtime.resolveImage(image, policy, (doing) => report({ doing, done: 0, total: 1 }), signal);
      } catch (error) {
        const type = error instanceof Unreachable ? 'RuntimeUnreachable' : (error as Error).name;
        throw ApplicationFailure.retryable((error as Error).message, type);
      }
    });
}
