import type { Condition, Resource } from '../../definitions/core/resource.ts';
import type { WaitOptions } from './api.ts';
import type { Context } from './context.ts';
import { describeRow } from './describe-row.ts';
import { ColonyError, NotFoundError, TimeoutError } from './errors.ts';
import { paced } from './paced.ts';
import { publishedOf } from './published.ts';
import type { Row } from './row.ts';
import type { Target } from './target.ts';

const WAIT_MS = 30_000;

/**
 * Waits until a condition has a status for the generation in force, or, for `deleted`, until the resource is gone.
 *
 * Sees a change within about 150 ms of its publication. Throws NotFoundError when the resource is not there or goes away,
 * TimeoutError with what is known of the condition.
 */
export async function waitFor(
  context: Context,
  target: Target,
  condition: string,
  options: WaitOptions = {},
): Promise<Resource | undefined> {
  const { status = 'True', timeoutMs = WAIT_MS, signal } = options;
  const isEnd = condition.toLowerCase() === 'deleted' || condition.toLowerCase() === 'delete';
  const look = new Look(context, target);
  for await (const _ of paced(timeoutMs, signal)) {
    const resource = await look.again();
    if (isEnd && resource === 'gone') return undefined;
    if (resource === 'gone') throw new NotFoundError(`${target.subject} does not exist`);
    if (!isEnd && resource && isMet(resource, condition, status)) return resource;
  }
  if (signal?.aborted) throw new ColonyError('Aborted', `the wait for ${target.subject} was given up`);
  throw new TimeoutError(
    `${target.subject} ${isEnd ? 'is still there' : `is not ${condition}=${status}`} after ${Math.round(timeoutMs / 1000)} s${told(look.last, condition)}`,
  );
}

/** Looks at one resource again and again, and asks its workflow only when the index holds less than there is. */
class Look {
  last: Resource | undefined;
  #asked: number | undefined;

  constructor(
    private readonly context: Context,
    private readonly target: Target,
  ) {}

  async again(): Promise<Resource | undefined | 'gone'> {
    const { session, reader } = this.context;
    const row = await describeRow(session, this.target.workflowId);
    if (!row?.open) return 'gone';
    const published = publishedOf(row);
    if (published) this.last = published;
    else if (this.#mustAsk(row)) {
      const answer = await reader.ask(row.workflowId);
      if (answer === 'silent') return undefined;
      this.#asked = row.version;
      if (answer) this.last = answer;
    }
    return published ?? (row.memo?.partial ? this.last : undefined);
  }

  /** What was not published yet will be; what is too large to be published must be asked for. */
  #mustAsk({ memo, version }: Row): boolean {
    return memo?.partial === true && version !== this.#asked;
  }
}

/** True when the condition has the status, and has it for the spec in force. */
export function isMet({ metadata, status }: Resource, type: string, wanted: string): boolean {
  const condition = conditionOf(status?.conditions, type);
  return condition?.status === wanted && (condition.observedGeneration ?? status?.observedGeneration ?? 0) >= metadata.generation;
}

function told(resource: Resource | undefined, type: string): string {
  const condition = conditionOf(resource?.status?.conditions, type);
  return condition ? `: ${condition.reason}: ${condition.message}` : '';
}

/** Written in any case, as kubectl takes it. */
function conditionOf(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type.toLowerCase() === type.toLowerCase());
}
