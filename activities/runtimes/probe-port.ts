import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import type { ProbeCheck } from '../../definitions/core/template.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

type HttpCheck = Extract<ProbeCheck, { type: 'http' }>;
type TcpCheck = Extract<ProbeCheck, { type: 'tcp' }>;

/**
 * Asks by HTTP or TCP at the address where the check's port is; throws with one sentence when it fails.
 *
 * As kubelets do: 200 to 399 is well, certificates are not looked at, redirects are not followed.
 */
export async function probePort(address: Address, check: HttpCheck | TcpCheck, timeoutMs: number): Promise<void> {
  const what = `${check.type === 'http' ? check.scheme : 'tcp'} port ${check.port}`;
  const signal = AbortSignal.timeout(timeoutMs);
  const asked = check.type === 'http' ? askByHttp(address, check, signal) : connectTo(address, signal);
  const status = await asked.catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      signal.aborted ? `${what} did not answer in ${timeoutMs / 1_000} s` : `${what} does not answer (${error.code ?? error.message})`,
    );
  });
  if (status < 200 || status > 399) throw new Error(`${what} answered ${status}`);
}

/** The status it answers with. */
async function askByHttp(address: Address, { path, headers, scheme }: HttpCheck, signal: AbortSignal): Promise<number> {
  const options = { ...address, path, headers: { ...headers }, agent: false, signal };
  const request = scheme === 'https' ? httpsRequest({ ...options, rejectUnauthorized: false }) : httpRequest(options);
  request.on('error', () => undefined).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => undefined).destroy();
  return response.statusCode ?? 0;
}

/** Being connected is as good as HTTP's 200. */
async function connectTo(address: Address, signal: AbortSignal): Promise<number> {
  const socket = connect({ ...address });
  try {
    await once(socket, 'connect', { signal });
    return 200;
  } finally {
    socket.on('error', () => undefined).destroy();
  }
}
