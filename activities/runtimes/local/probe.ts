import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { InstancePort } from '../../../definitions/core/instance.ts';
import type { ProbeCheck } from '../../../definitions/core/template.ts';
import { probePort } from '../probe-port.ts';
import { exitCodeOf, killBeside, type Surroundings, spawnBeside } from './exec.ts';

const HOST = '127.0.0.1';
const MAX_SAID = 200;
/** What a command said may come after its end; what it left behind may hold the pipes for ever. */
const LAST_WORDS_MS = 200;

export interface Probed extends Surroundings {
  readonly ports: readonly InstancePort[];
}

/** Done when the check was answered well; else throws with one sentence. */
export async function probe(instance: Probed, check: ProbeCheck, timeoutMs: number): Promise<void> {
  switch (check.type) {
    case 'exec': {
      const signal = AbortSignal.timeout(timeoutMs);
      return await probeByCommand(instance, check.command, signal).catch((error: Error) => {
        throw signal.aborted ? new Error(`the command did not end in ${timeoutMs / 1_000} s`) : error;
      });
    }
    case 'http':
    case 'tcp':
      return await probePort({ host: HOST, port: hostPort(instance.ports, check.port) }, check, timeoutMs);
    case 'taskQueue':
      throw new Error('not probed here');
  }
}

/** Where a port of the template is on this node; one that it does not name is taken as it is. */
const hostPort = (ports: readonly InstancePort[], port: number): number =>
  ports.find(({ container, protocol }) => container === port && protocol === 'tcp')?.host ?? port;

async function probeByCommand(instance: Surroundings, command: readonly string[], signal: AbortSignal): Promise<void> {
  const child = spawnBeside(instance, command);
  const kill = (): void => killBeside(child);
  signal.addEventListener('abort', kill, { once: true });
  const saidOut = lastWordsOf(child.stdout);
  const saidErr = lastWordsOf(child.stderr);
  const closed = once(child, 'close').catch(() => undefined);
  child.stdin?.on('error', () => undefined).end();
  const code = await exitCodeOf(child).finally(() => signal.removeEventListener('abort', kill));
  if (code === 0) return;
  await Promise.race([closed, wait(LAST_WORDS_MS)]);
  const lastLine = saidErr() || saidOut();
  throw new Error(`the command ended with ${code}${lastLine ? `: ${lastLine}` : ''}`);
}

/** The last line that came so far. */
function lastWordsOf(stream: Readable | null): () => string {
  let said = '';
  stream?.on('data', (data: Buffer) => {
    said = (said + data.toString('utf8')).slice(-MAX_SAID);
  });
  return () => said.trimEnd().split('\n').at(-1) ?? '';
}
