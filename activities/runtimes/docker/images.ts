import type { IncomingMessage } from 'node:http';
import type Docker from 'dockerode';
import type { ImageAnswer, ImagePin } from '../../../definitions/core/instance.ts';
import type { PullPolicy } from '../../../definitions/core/template.ts';
import { Problem } from '../runtime.ts';
import { credentialsFor } from './credentials.ts';
import type { Engine } from './engine.ts';
import { EngineError, isStatus, outage, unexpected } from './errors.ts';
import { jsonLines } from './json-lines.ts';
import { pullProblem } from './pull-errors.ts';
import { type PullLine, pullProgress } from './pull-progress.ts';
import { isImageId, parseReference, pinOf } from './references.ts';

type PullFailure = NonNullable<ImageAnswer['problem']>;

const PROGRESS_EVERY_MS = 250;

/** Finds images and pulls them. */
export class Images {
  /** Pulls for containers that lack their image, by reference: slots wait for one together. */
  readonly #fetching = new Map<string, Promise<void>>();

  constructor(readonly engine: Engine) {}

  /** See `Runtime.resolveImage`. Throws RegistryUnreachable when it may work later. */
  async resolve(image: string, policy: PullPolicy, progress: (text: string) => void, signal: AbortSignal): Promise<ImageAnswer> {
    const isLocalOnly = policy === 'Never' || isImageId(image);
    if (policy !== 'Always' || isLocalOnly) {
      const pin = await this.#local(image);
      if (pin) return { image, pin };
    }
    if (isLocalOnly) {
      const how = isImageId(image) ? 'an id cannot be pulled' : 'and its pull policy is Never';
      return { image, problem: { reason: 'ImageMissing', message: `image ${image} is not on this node, ${how}` } };
    }
    const problem = await this.#pull(image, progress, signal);
    if (problem) return { image, problem };
    const pin = await this.#local(image);
    if (!pin) throw outage(new Error('an image that was just pulled is gone'));
    return { image, pin };
  }

  /** Brings an image back that was pinned earlier and is gone from this engine. Throws Problem when it cannot be had again. */
  async fetch(ref: string): Promise<void> {
    if (isImageId(ref)) {
      throw new Problem(
        'ImageMissing',
        'the image it was made for is gone from this node, and no registry knows it: colony reconcile looks its tag up again',
      );
    }
    const fetching = this.#fetching.get(ref) ?? this.#fetch(ref).finally(() => this.#fetching.delete(ref));
    this.#fetching.set(ref, fetching);
    await fetching;
  }

  async #fetch(ref: string): Promise<void> {
    const problem = await this.#pull(ref, () => undefined, new AbortController().signal);
    if (problem) throw new Problem('ImageMissing', problem.message);
  }

  async #local(image: string): Promise<ImagePin | undefined> {
    try {
      const found = await this.engine.call<Docker.ImageInspectInfo>('GET', `/images/${encodeURI(image)}/json`);
      return { ref: pinOf(image, found), bytes: found.Size };
    } catch (error) {
      // 400: no valid name; the pull will say so.
      if (isStatus(error, 404, 400)) return undefined;
      throw unexpected(error);
    }
  }

  /** Undefined when all went well. */
  async #pull(image: string, progress: (text: string) => void, signal: AbortSignal): Promise<PullFailure | undefined> {
    const { repository, version } = parseReference(image);
    let answer: IncomingMessage;
    try {
      const credentials = await credentialsFor(repository);
      answer = await this.engine.open('POST', '/images/create', { query: { fromImage: repository, tag: version }, signal, credentials });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof EngineError)) throw error;
      return pullProblem(image, error.sentence, error.status);
    }
    let refusal: string | undefined;
    try {
      refusal = await this.#follow(answer, image, progress);
    } catch (error) {
      signal.throwIfAborted();
      throw outage(error);
    } finally {
      answer.destroy();
    }
    signal.throwIfAborted();
    return refusal === undefined ? undefined : pullProblem(image, refusal);
  }

  /** The error within the stream, if there is one. */
  async #follow(answer: IncomingMessage, image: string, progress: (text: string) => void): Promise<string | undefined> {
    const textOf = pullProgress(image);
    let told = Number.NEGATIVE_INFINITY;
    for await (const line of jsonLines<PullLine>(answer)) {
      if (line.error !== undefined) return line.error;
      const text = textOf(line);
      if (Date.now() - told < PROGRESS_EVERY_MS) continue;
      told = Date.now();
      progress(text);
    }
    return undefined;
  }
}
