import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import type { InstancePort } from '../../../definitions/core/instance.ts';
import type { ProbeCheck } from '../../../definitions/core/template.ts';
import { exitCodeOf, killBeside, type Surroundings, spawnBeside } from './exec.ts';

type HttpCheck = Extract<ProbeCheck, { type: 'http' }>;

const HOST = '127.0.0.1';
const MAX_SAID = 200;

export interface Probed extends Surroundings {
  readonly ports: readonly InstancePort[];
}

/** Done when the check was answered well; else throws with one sentence. */
export async function probe(instance: Probed, check: ProbeCheck, timeoutMs: number): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  switch (check.type) {
    case 'exec':
      return await probeByCommand(instance, check.command, signal).catch((error: Error) => {
        throw signal.aborted ? new Error(`the command did not end in ${timeoutMs / 1_000} s`) : error;
      });
    case 'http':
    case 'tcp': {
      const what = `${check.type === 'http' ? check.scheme : 'tcp'} port ${check.port}`;
      const port = hostPort(instance.ports, check.port);
      const status = await (check.type === 'http' ? askByHttp(check, port, signal) : connectTo(port, signal)).catch(
        (error: NodeJS.ErrnoException) => {
          throw new Error(
            signal.aborted
              ? `${what} did not answer in ${timeoutMs / 1_000} s`
              : `${what} does not answer (${error.code ?? error.message})`,
          );
        },
      );
      if (status < 200 || status > 399) throw new Error(`${what} answered ${status}`);
      return;
    }
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
  let said = '';
  const listen = (data: Buffer): void => {
    said = (said + data.toString('utf8')).slice(-MAX_SAID);
  };
  child.stdout?.on('data', listen);
  child.stderr?.on('data', listen);
  child.stdin?.on('error', () => undefined).end();
  const code = await exitCodeOf(child).finally(() => signal.removeEventListener('abort', kill));
  if (code === 0) return;
  const lastLine = said.trimEnd().split('\n').at(-1);
  throw new Error(`the command ended with ${code}${lastLine ? `: ${lastLine}` : ''}`);
}

/** The status it answers with. */
async function askByHttp({ path, headers, scheme }: HttpCheck, port: number, signal: AbortSignal): Promise<number> {
  const options = { host: HOST, port, path, headers: { ...headers }, agent: false, signal };
  // A probe asks whether somebody answers, not who: certificates for loopback are made by hand.
  const request = scheme === 'https' ? httpsRequest({ ...options, rejectUnauthorized: false }) : httpRequest(options);
  request.on('error', () => undefined).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => undefined).destroy();
  return response.statusCode ?? 0;
}

/** Being connected is as good as HTTP's 200. */
async function connectTo(port: number, signal: AbortSignal): Promise<number> {
  const socket = connect({ host: HOST, port });
  try {
    await once(socket, 'connect', { signal });
    return 200;
  } finally {
    socket.on('error', () => undefined).destroy();
  }
}
