import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, QueryNotRegisteredError, QueryRejectedError } from '@temporalio/client';
import type { RolloverLimits } from '../../definitions/core/decision.ts';
import type { InstanceOwner } from '../../definitions/core/instance.ts';
import type { Resource } from '../../definitions/core/resource.ts';
import { describeAlive } from './incarnation.ts';

const ASK_MS = 5_000;
const ASK_AGAIN_MS = 500;
/** Phases of a step after which nobody asks for its instance. */
const ENDS: readonly string[] = ['Succeeded', 'Failed', 'Skipped', 'Omitted', 'Cancelled'];

/**
 * What whoever runs a step must know of the run when its call was cancelled.
 *
 * A run whose history has grown long cancels all its calls, hands over to its next one and makes them again there: what was started
 * must not be stopped for that.
 */
export class RunInquiry {
  /** @param limits those of the workers that the run lives on. */
  constructor(
    private readonly client: Client,
    private readonly limits: Pick<RolloverLimits, 'events' | 'bytes'>,
  ) {}

  /** Whether the cancel may have been a hand-over: its history is long enough for one. */
  async mayHandOver({ resource: id, uid }: InstanceOwner): Promise<boolean> {
    const described = await this.untilAnswered(() => describeAlive(this.client, { id, uid }));
    return described !== undefined && (described.historyLength >= this.limits.events || (described.historySize ?? 0) >= this.limits.bytes);
  }

  /** Whether the run is done with the step. Asked until it is answered: without a worker nobody has decided anything. */
  async isOver({ resource: id, uid }: InstanceOwner, path: string): Promise<boolean> {
    return await this.untilAnswered(async () => {
      if (!(await describeAlive(this.client, { id, uid }))) return true;
      const deadline = Date.now() + ASK_MS;
      const run = await this.client.withDeadline(deadline, () => this.client.workflow.getHandle(id).query<Resource | null>('resource'));
      if (run?.metadata.uid !== uid || run.metadata.deletionTimestamp) return true;
      const { steps } = (run.status ?? {}) as { readonly steps?: Readonly<Record<string, { readonly phase?: string }>> };
      return ENDS.includes(steps?.[path]?.phase ?? '');
    });
  }

  private async untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (error instanceof QueryNotRegisteredError || error instanceof QueryRejectedError) throw error;
        await sleep(ASK_AGAIN_MS);
      }
    }
  }
}
