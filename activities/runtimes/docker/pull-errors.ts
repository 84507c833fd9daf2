import type { ImageAnswer } from '../../../definitions/core/instance.ts';
import { sentenceOf } from './errors.ts';

/** The registry does not answer now; asking again may help. */
export class RegistryUnreachable extends Error {
  override readonly name = 'RegistryUnreachable';
}

const DENIED = /denied|unauthorized|authentication required|no basic auth credentials|\b40[13]\b|forbidden/i;
const MISSING =
  /manifest.*(unknown|not found)|not found|repository .*does not exist|name unknown|no such image|no matching manifest|invalid reference|repository name.*(invalid|must)/i;

/**
 * What a failed pull means: a problem that lasts until the spec or the registry changes, or a throw when it may pass by itself.
 * `status` is the engine's; absent when the error came within the stream.
 */
export function pullProblem(image: string, message: string, status?: number): NonNullable<ImageAnswer['problem']> {
  const sentence = sentenceOf(message);
  // The hub says "denied" for whatever does not exist, beside "repository does not exist".
  if (/repository does not exist or may require/i.test(sentence)) return missing(image, sentence);
  if (DENIED.test(sentence)) {
    const help = "docker login on the node, as its agent's user, may help";
    return { reason: 'PullDenied', message: `the registry does not let this node have ${image}: ${sentence} (${help})` };
  }
  if (status === 404 || status === 400 || MISSING.test(sentence)) return missing(image, sentence);
  throw new RegistryUnreachable(`the registry of ${image} does not answer: ${sentence}`);
}

const missing = (image: string, sentence: string) => ({
  reason: 'ImageMissing' as const,
  message: `there is no image ${image}: ${sentence}`,
});
