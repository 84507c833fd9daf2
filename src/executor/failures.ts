import { ApplicationFailure } from '@temporalio/common';

/** The spec asks for something this executor cannot do; not tried again until it changes. */
export function invalidSpec(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, 'InvalidSpec');
}

/** The spec asks for something this executor may not do; not tried again until it changes. */
export function forbidden(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, 'Forbidden');
}

/** Not there yet, nothing is wrong; tried again quietly. */
export function notReady(message: string, options: { readonly retryAfterSeconds?: number } = {}): ApplicationFailure {
  return waiting('NotReady', message, options.retryAfterSeconds);
}

/** Somebody else was faster; tried again quietly. */
export function conflict(message: string, options: { readonly retryAfterSeconds?: number } = {}): ApplicationFailure {
  return waiting('Conflict', message, options.retryAfterSeconds);
}

function waiting(type: string, message: string, seconds: number | undefined): ApplicationFailure {
  return ApplicationFailure.create({ type, message, category: 'BENIGN', ...(seconds ? { nextRetryDelay: seconds * 1000 } : {}) });
}
