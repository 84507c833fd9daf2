import { patched } from '@temporalio/workflow';
import { jsonBytes } from '../definitions/core/replayed/bytes.ts';
import type { Observation } from '../definitions/core/step.ts';
import type { ResourceState } from './state.ts';

/** With a spec, a status and annotations of the largest size that much can still be handed over to the next run. */
const MAX_BYTES = 1024 * 1024;
/** Runs from before it kept whatever landed. */
const BOUNDED = 'what-is-kept-is-bounded';

/** How much room the answers take that a resource keeps, all lanes together. */
export class Kept {
  /** Observations are replaced, never changed, and to measure a large one takes long. */
  private readonly measured = new WeakMap<Observation, number>();

  constructor(private readonly state: ResourceState) {}

  /**
   * Why an answer cannot be kept beside the others, for a person. One that takes no more room than what it replaces always can, and
   * whatever comes while the resource is being deleted: that must not wait for anything.
   */
  excess(about: string, observation: Observation): string | undefined {
    const { observed, deletion } = this.state;
    if (deletion) return undefined;
    const bytes = this.bytesOf(observation);
    const lanes = Object.keys(observed).filter((lane) => lane !== about);
    const others = lanes.reduce((sum, lane) => sum + this.bytesOf(observed[lane]), 0);
    if (bytes + others <= MAX_BYTES || bytes <= this.bytesOf(observed[about]) || !patched(BOUNDED)) return undefined;
    return `the answer has ${bytes} bytes and the other answers that are kept have ${others}, together at most ${MAX_BYTES} are allowed`;
  }

  private bytesOf(observation: Observation | undefined): number {
    if (!observation) return 0;
    const known = this.measured.get(observation);
    if (known !== undefined) return known;
    const bytes = jsonBytes(observation);
    this.measured.set(observation, bytes);
    return bytes;
  }
}
