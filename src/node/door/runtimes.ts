import { setTimeout as sleep } from 'node:timers/promises';
import type { Runtime } from '../../../activities/runtimes/runtime.ts';
import type { RuntimeName } from '../../../definitions/core/template.ts';
import type { DoorRuntime, DoorRuntimes } from './api.ts';

/** No resource has it: the question costs an engine next to nothing. */
const NOBODY = 'nobody';
const ANSWER_MS = 5_000;

/** Every runtime of this node, and whether it can be asked now; comes back within `answerMs`, whatever they do. */
export async function askRuntimes(runtimes: ReadonlyMap<RuntimeName, Runtime>, answerMs = ANSWER_MS): Promise<DoorRuntimes> {
  return { runtimes: await Promise.all([...runtimes].map(([name, runtime]) => ask(name, runtime, answerMs))) };
}

async function ask(name: RuntimeName, runtime: Runtime, answerMs: number): Promise<DoorRuntime> {
  const answered = new AbortController();
  const late = sleep(answerMs, `no answer in ${answerMs / 1_000} s`, { signal: answered.signal }).catch(() => undefined);
  const asked = runtime.list(NOBODY).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const message = await Promise.race([asked, late]);
  answered.abort();
  return { runtime: name, ...(message === undefined ? {} : { message }) };
}
