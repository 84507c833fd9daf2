import { request } from 'node:http';

const TIMEOUT_MS = 1_000;
const DEFAULT_HOST = 'unix:///var/run/docker.sock';

/** A Docker engine as the environment names it. */
export interface FoundEngine {
  readonly host: string;
  /** Undefined: nobody answers there. */
  readonly version: string | undefined;
}

/** Asks the Docker engine of the environment who it is; comes back within a second. */
export async function findEngine(env: NodeJS.ProcessEnv = process.env): Promise<FoundEngine> {
  const host = env.DOCKER_HOST || DEFAULT_HOST;
  const version = await ask(host).catch(() => undefined);
  return { host, version };
}

function ask(host: string): Promise<string | undefined> {
  const { protocol, hostname, port, pathname } = new URL(host);
  const where = protocol === 'unix:' ? { socketPath: pathname } : { hostname, port: port || 2375 };
  return new Promise((resolve, reject) => {
    const call = request({ ...where, path: '/version', timeout: TIMEOUT_MS }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(versionIn(Buffer.concat(chunks).toString())));
    });
    call.on('timeout', () => call.destroy(new Error('no answer')));
    call.on('error', reject);
    call.end();
  });
}

function versionIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { Version?: string }).Version;
  } catch {
    return undefined;
  }
}
