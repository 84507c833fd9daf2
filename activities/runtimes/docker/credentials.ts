import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** As the engine wants it for a pull. */
export interface Credentials {
  readonly username?: string;
  readonly password?: string;
  readonly identitytoken?: string;
  readonly serveraddress: string;
}

interface ConfigFile {
  readonly auths?: Readonly<Record<string, { readonly auth?: string; readonly identitytoken?: string } | null>>;
  /** The program that keeps them all. */
  readonly credsStore?: string;
  /** The programs that keep those of single registries. */
  readonly credHelpers?: Readonly<Record<string, string>>;
}

const HUB = 'https://index.docker.io/v1/';
const HELPER_TIMEOUT_MS = 20_000;

/**
 * What this node may show a registry for an image: what `docker login` has left in the node's own file.
 *
 * Guarantees: only what is kept for the very registry of the image; undefined when nothing is, or when it cannot be read. The
 * file is read anew each time, for somebody may just have logged in. Manifests have no say in it.
 */
export async function credentialsFor(repository: string, folder = configFolder()): Promise<Credentials | undefined> {
  const file = await readConfig(folder);
  const server = serverOf(repository);
  const names = server === HUB ? [HUB, 'index.docker.io', 'docker.io'] : [server, `https://${server}`, `http://${server}`];
  const helper = names.map((name) => file.credHelpers?.[name]).find((name) => name !== undefined) ?? file.credsStore;
  const helped = helper === undefined ? undefined : await ask(helper, server);
  if (helped) return helped;
  const kept = names.map((name) => file.auths?.[name]).find((entry) => entry?.auth || entry?.identitytoken);
  if (!kept) return undefined;
  const [username = '', ...password] = Buffer.from(kept.auth ?? '', 'base64')
    .toString('utf8')
    .split(':');
  return {
    ...(kept.auth ? { username, password: password.join(':') } : {}),
    ...(kept.identitytoken ? { identitytoken: kept.identitytoken } : {}),
    serveraddress: server,
  };
}

const configFolder = (): string => process.env.DOCKER_CONFIG || join(homedir(), '.docker');

/** The registry that a repository is in: its first part, when that can be a host. */
function serverOf(repository: string): string {
  const [first = '', ...rest] = repository.split('/');
  return rest.length > 0 && (/[.:]/.test(first) || first === 'localhost') ? first : HUB;
}

async function readConfig(folder: string): Promise<ConfigFile> {
  try {
    return (JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')) as ConfigFile | null) ?? {};
  } catch {
    return {};
  }
}

/** Programs that keep credentials are told a server, and tell what they have for it. */
async function ask(helper: string, server: string): Promise<Credentials | undefined> {
  if (!/^[A-Za-z0-9._-]+$/.test(helper)) return undefined;
  const said = await new Promise<string>((resolve) => {
    const child = execFile(`docker-credential-${helper}`, ['get'], { timeout: HELPER_TIMEOUT_MS }, (error, stdout) =>
      resolve(error ? '' : stdout),
    );
    child.stdin?.on('error', () => undefined).end(server);
  });
  try {
    const { Username, Secret } = JSON.parse(said) as { Username: string; Secret: string };
    return Username === '<token>'
      ? { identitytoken: Secret, serveraddress: server }
      : { username: Username, password: Secret, serveraddress: server };
  } catch {
    return undefined;
  }
}
