import { asColonyError, isLate, isUndecided } from './failures.ts';
import { query } from './read.ts';
import type { Session } from './session.ts';
import { explainSilence } from './silence.ts';
import type { Target } from './target.ts';

/** Asks a resource's workflow what only it knows. Throws NotFoundError, NoWorkerError. */
export async function ask<T>(session: Session, { workflowId, subject }: Target, name: 'events' | 'history'): Promise<T> {
  try {
    return await query<T>(session, workflowId, name, session.timeoutMs);
  } catch (error) {
    if (isLate(error) || isUndecided(error)) throw await explainSilence(session, subject);
    throw asColonyError(error, subject);
  }
}
