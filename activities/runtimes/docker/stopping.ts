import type Docker from 'dockerode';
import type { StopManner } from '../../../definitions/core/template.ts';
import { Unreachable, usualStop } from '../runtime.ts';
import { CHANGE_TIMEOUT_MS, type Engine } from './engine.ts';
import { isStatus } from './errors.ts';

/**
 * Asks a running container to end and waits for it, for as long as the grace lasts; then kills it.
 *
 * Assumes that the caller has looked whose it is. Nothing happens when it does not run or is gone.
 */
export async function stopContainer(
  engine: Engine,
  { Id: id, State }: Pick<Docker.ContainerInspectInfo, 'Id' | 'State'>,
  { signal, graceSeconds }: StopManner,
): Promise<void> {
  if (graceSeconds > 0) {
    await send(engine, id, signal);
    // A paused one hears the signal once it wakes up.
    if (State.Paused) await quietly(engine.call('POST', `/containers/${id}/unpause`));
    if (await hasEnded(engine, id, graceSeconds * 1000)) return;
  }
  await send(engine, id, 'SIGKILL');
  if (!(await hasEnded(engine, id, CHANGE_TIMEOUT_MS))) throw new Unreachable('the docker engine does not end what it was told to kill');
}

/** How it was made to be stopped, as the engine keeps it. */
export function keptStop({ Config }: Pick<Docker.ContainerInspectInfo, 'Config'>): StopManner {
  const { StopSignal: signal, StopTimeout: graceSeconds } = Config as { readonly StopSignal?: string; readonly StopTimeout?: number };
  return { signal: signal || usualStop.signal, graceSeconds: graceSeconds ?? usualStop.graceSeconds };
}

/** Comes back when it is gone. Ours by its labels, or the caller must not ask. */
export async function removeContainer(engine: Engine, id: string): Promise<void> {
  try {
    await engine.call('DELETE', `/containers/${id}`, { query: { force: true, v: true }, timeoutMs: CHANGE_TIMEOUT_MS });
  } catch (error) {
    if (isStatus(error, 404)) return;
    if (!isStatus(error, 409)) throw error;
    await untilGone(engine, id);
  }
}

/** Waits for a removal that somebody else began. */
export async function untilGone(engine: Engine, id: string): Promise<void> {
  try {
    await engine.call('POST', `/containers/${id}/wait`, { query: { condition: 'removed' }, timeoutMs: CHANGE_TIMEOUT_MS });
  } catch (error) {
    if (!isStatus(error, 404)) throw error;
  }
}

async function send(engine: Engine, id: string, signal: string): Promise<void> {
  await quietly(engine.call('POST', `/containers/${id}/kill`, { query: { signal } }));
}

/** 404: gone; 409 (500 in old engines): does not run, or is not paused, or just woke up by itself. */
async function quietly(call: Promise<void>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (isStatus(error, 404, 409, 304) || (isStatus(error, 500) && /not (running|paused)|cannot resume/i.test(error.sentence))) return;
    throw error;
  }
}

async function hasEnded(engine: Engine, id: string, withinMs: number): Promise<boolean> {
  const patience = AbortSignal.timeout(withinMs);
  try {
    await engine.call('POST', `/containers/${id}/wait`, {
      query: { condition: 'not-running' },
      timeoutMs: withinMs + 5_000,
      signal: patience,
    });
    return true;
  } catch (error) {
    if (isStatus(error, 404)) return true;
    if (patience.aborted) return false;
    throw error;
  }
}
