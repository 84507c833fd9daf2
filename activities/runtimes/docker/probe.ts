import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { shorten } from '../../../definitions/core/quote.ts';
import type { ProbeCheck } from '../../../definitions/core/template.ts';
import type { Containers } from './containers.ts';
import { sentenceOf } from './errors.ts';
import { execIn } from './exec.ts';

type HttpCheck = Extract<ProbeCheck, { type: 'http' }>;
type Address = { readonly host: string; readonly port: number };

const MAX_OUTPUT = 200;

/** Asks one check of one of our containers; throws with one sentence when it fails. */
export async function probeContainer(containers: Containers, id: string, check: ProbeCheck, timeoutMs: number): Promise<void> {
  switch (check.type) {
    case 'exec':
      return await inTime(timeoutMs, probeExec(containers, id, check.command));
    case 'http':
      return await probeHttp(await addressOf(containers, id, check.port), check, timeoutMs);
    case 'tcp':
      return await probeTcp(await addressOf(containers, id, check.port), check.port, timeoutMs);
    case 'taskQueue':
      throw new Error('not probed here');
  }
}

/** Where the port is published, else the container's own address. */
async function addressOf(containers: Containers, id: string, port: number): Promise<Address> {
  const known = containers.known.inspection(id)?.seen.ports?.find((one) => one.container === port && one.protocol === 'tcp');
  if (known) return { host: reachable(known.address), port: known.host };
  const { container } = (await containers.inspect(id)) ?? {};
  if (!container) throw new Error('there is no such instance on this node');
  const [binding] = container.NetworkSettings.Ports?.[`${port}/tcp`] ?? [];
  if (binding) return { host: reachable(binding.HostIp), port: Number(binding.HostPort) };
  const address = Object.values(container.NetworkSettings.Networks ?? {}).find(({ IPAddress }) => IPAddress)?.IPAddress;
  if (!address) throw new Error('it has no address');
  return { host: address, port };
}

const reachable = (address: string): string => (address === '' || address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address);

async function probeExec(containers: Containers, id: string, command: readonly string[]): Promise<void> {
  const { known, engine } = containers;
  if (!known.inspection(id) && !(await containers.inspect(id))) throw new Error('there is no such instance on this node');
  const session = await execIn(engine, id, { command, tty: false, stdin: false });
  let output = '';
  for await (const { data } of session.output) if (output.length < MAX_OUTPUT) output += Buffer.from(data).toString('utf8');
  const code = await session.exitCode;
  if (code === 0) return;
  const said = shorten(sentenceOf(output), MAX_OUTPUT);
  throw new Error(`the command ended with ${code}${said === '' ? '' : `: ${said}`}`);
}

/** As kubelets do: 200 to 399 is well, certificates are not looked at, redirects are not followed. */
function probeHttp({ host, port }: Address, { scheme, path, headers, port: asked }: HttpCheck, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = {
      host,
      port,
      path,
      headers: { ...headers },
      agent: false,
      rejectUnauthorized: false,
      signal: AbortSignal.timeout(timeoutMs),
    };
    const answered = ({ statusCode = 0 }: http.IncomingMessage) => {
      request.destroy();
      if (statusCode >= 200 && statusCode < 400) resolve();
      else reject(new Error(`${scheme} port ${asked} answered ${statusCode}`));
    };
    const request = scheme === 'https' ? https.get(options, answered) : http.get(options, answered);
    request.on('error', (error) => reject(new Error(failure(`${scheme} port ${asked}`, error, timeoutMs))));
  });
}

function probeTcp({ host, port }: Address, asked: number, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host, port, signal: AbortSignal.timeout(timeoutMs) });
    socket.on('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.on('error', (error) => reject(new Error(failure(`tcp port ${asked}`, error, timeoutMs))));
  });
}

function failure(what: string, error: NodeJS.ErrnoException, timeoutMs: number): string {
  return error.name === 'AbortError' || error.name === 'TimeoutError' || error.code === 'ABORT_ERR'
    ? `${what} did not answer in ${timeoutMs / 1000} s`
    : `${what} does not answer (${error.code ?? error.message})`;
}

/** The command itself goes on: an engine cannot end it. */
async function inTime(timeoutMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the command did not end in ${timeoutMs / 1000} s`)), timeoutMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
