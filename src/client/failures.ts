import {
  ApplicationFailure,
  isGrpcCancelledError,
  isGrpcDeadlineError,
  isGrpcServiceError,
  NamespaceNotFoundError,
  QueryNotRegisteredError,
  QueryRejectedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import type { RefusalDetails } from '../../definitions/core/messages.ts';
import {
  AlreadyExistsError,
  ColonyError,
  ConflictError,
  DeletingError,
  ForbiddenError,
  InvalidError,
  NotFoundError,
  RefusedError,
  TimeoutError,
  UnreachableError,
} from './errors.ts';

const grpc = {
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

/** Failures by which the server says that an update found no one to decide it, though the resource may well be there. */
const UNDECIDED = new Set(['UnprocessedUpdate', 'AcceptedUpdateCompletedWorkflow']);

/** What a workflow refused with; undefined when the error is something else. */
export function refusalOf(
  error: unknown,
): { readonly type: string; readonly message: string; readonly details: RefusalDetails } | undefined {
  if (!(error instanceof WorkflowUpdateFailedError) || !(error.cause instanceof ApplicationFailure)) return undefined;
  const { type, message, details } = error.cause;
  if (type && UNDECIDED.has(type)) return undefined;
  return { type: type ?? 'Refused', message, details: (details?.[0] ?? {}) as RefusalDetails };
}

/** No such workflow, or only a closed one. */
export function isAbsent(error: unknown): boolean {
  if (absentNamespace(error) !== undefined) return false;
  return error instanceof WorkflowNotFoundError || error instanceof QueryRejectedError || codeOf(error) === grpc.NOT_FOUND;
}

/** The update was not decided because a run was just ending: the same request may simply be sent again. */
export function isUndecided(error: unknown): boolean {
  if (error instanceof WorkflowUpdateFailedError) {
    return error.cause instanceof ApplicationFailure && UNDECIDED.has(error.cause.type ?? '');
  }
  const code = codeOf(error);
  return code === grpc.FAILED_PRECONDITION || code === grpc.ABORTED || code === grpc.UNAVAILABLE;
}

/** A deadline passed while somebody waited for a worker. */
export const isLate = (error: unknown): boolean => isGrpcDeadlineError(error) || isGrpcCancelledError(error);

/** Temporal itself is away, or does not answer. */
export const isTrouble = (error: unknown): boolean => codeOf(error) === grpc.UNAVAILABLE || isLate(error);

/** True when a page of rows does not fit into one message. */
export const isTooLarge = (error: unknown): boolean =>
  codeOf(error) === grpc.RESOURCE_EXHAUSTED && /larger than max/.test(error instanceof Error ? messageOf(error) : '');

/**
 * Turns whatever a call to Temporal ended with into one of ours. `subject` is what the call was about: `Widget w1`.
 *
 * Guarantees: never throws, never puts a stack trace into the message; the original stays in `cause`.
 */
export function asColonyError(error: unknown, subject: string): ColonyError {
  if (error instanceof ColonyError) return error;
  const refusal = refusalOf(error);
  if (refusal) return refused(refusal.type, refusal.message, refusal.details, subject);
  if (isAbsent(error)) return new NotFoundError(`${subject} does not exist`);
  const namespace = absentNamespace(error);
  if (namespace !== undefined) {
    return new UnreachableError(`Temporal has no namespace "${namespace}"`, 'Create it, or set TEMPORAL_NAMESPACE.');
  }
  if (error instanceof QueryNotRegisteredError) return new ColonyError('Internal', `the workflow of ${subject} is not one of colony's`);
  // Whoever waited for a worker has asked why nothing came (explainSilence); all else is Temporal's own to answer.
  if (isLate(error)) return new UnreachableError(`${subject}: Temporal does not answer`, undefined, { cause: error });
  return byCode(error, subject);
}

/** The same for a command: what is not valid then is the command, the resource may well be. */
export function asCommandError(error: unknown, command: string, subject: string): ColonyError {
  const known = asColonyError(error, subject);
  return known instanceof InvalidError && known.code === 'Invalid'
    ? new InvalidError(known.issues, `the command ${command} of ${subject}`)
    : known;
}

function byCode(error: unknown, subject: string): ColonyError {
  const text = error instanceof Error ? messageOf(error) : String(error);
  switch (codeOf(error)) {
    case grpc.UNAVAILABLE:
      return new UnreachableError('Temporal does not answer', undefined, { cause: error });
    case grpc.PERMISSION_DENIED:
    case grpc.UNAUTHENTICATED:
      return new ForbiddenError(`Temporal refused the call: ${text}`, 'Check the credentials that colony uses for Temporal.');
    case grpc.RESOURCE_EXHAUSTED:
      return new TimeoutError(`${subject}: Temporal takes no more requests just now (${text})`, 'Try again in a moment.');
    default:
      return new ColonyError('Internal', `${subject}: ${text}`, undefined, { cause: error });
  }
}

/** A workflow's refusal as the class that fits its type. */
export function refused(type: string, message: string, details: RefusalDetails, subject: string): ColonyError {
  const sentence = `${subject}: ${message}`;
  switch (type) {
    case 'Invalid':
    case 'TooLarge':
      return new InvalidError(details.issues?.length ? details.issues : [{ path: '', message }], subject, type);
    case 'UnknownCommand':
      return new InvalidError([{ path: '', message }], undefined, type);
    case 'Conflict':
      return new ConflictError(sentence);
    case 'Deleting':
      return new DeletingError(sentence);
    case 'AlreadyExists':
      return new AlreadyExistsError(sentence);
    case 'NotFound':
      return new NotFoundError(`${subject} does not exist`);
    case 'Forbidden':
      return new ForbiddenError(sentence);
    default:
      return new RefusedError(type, sentence);
  }
}

/** The Temporal namespace that there is not, when that is what the server says; only the SDK's own client has a class for it. */
function absentNamespace(error: unknown): string | undefined {
  if (error instanceof NamespaceNotFoundError) return error.namespace;
  if (codeOf(error) !== grpc.NOT_FOUND || !(error instanceof Error)) return undefined;
  return /^Namespace (\S+) is not found/.exec(messageOf(error))?.[1];
}

function codeOf(error: unknown): number | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (isGrpcServiceError(current)) return current.code;
  }
  return undefined;
}

/** The innermost cause's own words. */
function messageOf(error: Error): string {
  let innermost = error;
  while (innermost.cause instanceof Error) innermost = innermost.cause;
  return isGrpcServiceError(innermost) ? innermost.details : innermost.message;
}
