import { shorten } from '../../../definitions/core/quote.ts';
import { Problem, Unreachable } from '../runtime.ts';

const MAX_SENTENCE = 300;

/** The engine answered, and said no. */
export class EngineError extends Error {
  override readonly name = 'EngineError';

  constructor(
    readonly status: number,
    /** The engine's own words, as one line that is the same each time: without ids. */
    readonly sentence: string,
  ) {
    super(`the docker engine says ${status}: ${sentence}`);
  }

  /** Of what docker-modem throws; undefined for everything that is not an answer of the engine. */
  static from(error: unknown): EngineError | undefined {
    const status = error instanceof Error ? (error as Error & { statusCode?: unknown }).statusCode : undefined;
    if (typeof status !== 'number') return undefined;
    return new EngineError(status, sentenceOf((error as Error).message.replace(/^\(HTTP code \d+\) .*? - /s, '')));
  }
}

/** Makes one stable line of what an engine or a program said. */
export function sentenceOf(text: string): string {
  const line = text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is taken out
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .replace(/\b[0-9a-f]{64}\b/g, '…')
    .trim();
  return shorten(line, MAX_SENTENCE);
}

/** No answer, or none that can be understood. */
export function outage(error: unknown): Unreachable {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const why = typeof code === 'string' ? code : sentenceOf(String(message ?? error));
  return new Unreachable(`the docker engine cannot be reached (${why})`, { cause: error });
}

export function isStatus(error: unknown, ...statuses: readonly number[]): error is EngineError {
  return error instanceof EngineError && statuses.includes(error.status);
}

export const isMissingNetwork = (error: unknown): error is EngineError =>
  error instanceof EngineError && /\bnetwork .*not found|No such network/i.test(error.sentence);

export const isMissingImage = (error: unknown): error is EngineError => isStatus(error, 404) && /no such image/i.test(error.sentence);

/** Whatever is left over where nobody expects a refusal: the engine itself is in trouble, or it is a bug. */
export function unexpected(error: unknown): unknown {
  return error instanceof EngineError && (error.status >= 500 || error.status === 429) ? outage(error) : error;
}

/** The engine could not get through to what it needs itself. */
const ENGINE_TROUBLE =
  /context (canceled|deadline exceeded)|transport is closing|error while dialing|containerd.*(unavailable|not running)|server is shutting down|^$/i;
const PORT_TAKEN = /port is already allocated|address already in use|ports are not available/i;
const NOT_EXECUTABLE =
  /executable file not found|no such file or directory: unknown|exec: .*(permission denied|no such file or directory|is a directory)|exec format error/i;

/** Why an instance could not be made or started, in words that a person can act on. */
export function startProblem(error: unknown, node: string): unknown {
  if (!(error instanceof EngineError)) return error;
  const { sentence, status } = error;
  if (status === 503 || status === 429 || (status >= 500 && ENGINE_TROUBLE.test(sentence))) return outage(error);
  if (PORT_TAKEN.test(sentence)) return new Problem('PortTaken', portTaken(sentence, node));
  if (NOT_EXECUTABLE.test(sentence)) return new Problem('CommandNotFound', `the command cannot be run: ${heart(sentence)}`);
  return new Problem('StartFailed', `the docker engine could not start it: ${heart(sentence)}`);
}

function portTaken(sentence: string, node: string): string {
  const [, address] = /(?:Bind for |listen \w+ )(\S+?):? /i.exec(sentence) ?? [];
  return `${address ?? 'a port that it asks for'} is already in use on node ${node}: free it, or ask for another port`;
}

/** Without the layers of wrapping that every OCI error has. */
const heart = (sentence: string): string =>
  sentence.replace(/^.*(?:starting container process caused|unable to start container process): /, '').replace(/: unknown$/, '');
