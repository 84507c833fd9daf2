import type { Issue } from '../../definitions/core/kind.ts';

/**
 * Everything the client throws.
 *
 * Guarantees: the message is one sentence for a person and never holds a stack trace; `hint`, when there is one, says what to do next.
 */
export class ColonyError extends Error {
  /** For machines: the refusal's type or the name of the cause. */
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, hint?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = `${code}Error`; // not from the class, whose name a bundler may shorten
    this.code = code;
    this.hint = hint;
  }
}

/** The input is wrong; every issue says where. Nothing was stored. */
export class InvalidError extends ColonyError {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[], subject?: string, code = 'Invalid') {
    super(code, sentenceOf(issues, subject));
    this.issues = issues;
  }
}

/** The stored version, uid or state is not the one the write asked for. */
export class ConflictError extends ColonyError {
  constructor(message: string, hint = 'Read it again and repeat the change.') {
    super('Conflict', message, hint);
  }
}

export class NotFoundError extends ColonyError {
  constructor(message: string, hint?: string) {
    super('NotFound', message, hint);
  }
}

export class AlreadyExistsError extends ColonyError {
  constructor(message: string, hint = 'Use apply to change what exists.') {
    super('AlreadyExists', message, hint);
  }
}

/** The resource is on its way out and takes no more changes. */
export class DeletingError extends ColonyError {
  constructor(message: string, hint = 'Wait until it is gone, then apply again.') {
    super('Deleting', message, hint);
  }
}

/** Nobody has defined this kind, or not in this version. */
export class UnknownKindError extends ColonyError {
  /** What could have been meant, nearest first; all kinds when nothing is near. */
  readonly known: readonly string[];

  constructor(message: string, known: readonly string[], hint?: string) {
    super('UnknownKind', message, hint);
    this.known = known;
  }
}

/** Temporal took the request, but no colony worker answered in time; the write may still be carried out later. */
export class NoWorkerError extends ColonyError {
  constructor(message: string, hint = 'Start one with `npm start` (or `colony up`), then repeat the command.') {
    super('NoWorker', message, hint);
  }
}

/** Temporal itself is not there. */
export class UnreachableError extends ColonyError {
  constructor(message: string, hint = 'Start it with `npm start`, or set TEMPORAL_ADDRESS to where it runs.', options?: ErrorOptions) {
    super('Unreachable', message, hint, options);
  }
}

export class ForbiddenError extends ColonyError {
  constructor(message: string, hint?: string) {
    super('Forbidden', message, hint);
  }
}

/** Something waited for did not come in time. */
export class TimeoutError extends ColonyError {
  constructor(message: string, hint?: string) {
    super('Timeout', message, hint);
  }
}

/** A watch cannot go on where it left off, because what came in between is no longer remembered: list again. */
export class GoneError extends ColonyError {
  constructor(message: string) {
    super('Gone', message, 'List again and watch from there.');
  }
}

/** A kind refused for a reason of its own; `code` is the kind's word for it. */
export class RefusedError extends ColonyError {}

function sentenceOf(issues: readonly Issue[], subject: string | undefined): string {
  const said = issues.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  const text = said.length > 0 ? said.join('; ') : 'the input is not valid';
  return subject ? `${subject} is not valid: ${text}` : text;
}
