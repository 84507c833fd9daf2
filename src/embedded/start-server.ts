import { type ChildProcess, execFile } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { identify, type ProcessIdentity } from '../../activities/runtimes/local/process-identity.ts';
import { settingFlags } from './server-settings.ts';
import { spawnApart } from './spawn-apart.ts';

export interface ServerOptions {
  /** The `temporal` binary. */
  readonly binary: string;
  readonly database: string;
  readonly port: number;
  /** Absent: without the UI. */
  readonly uiPort?: number;
  /** Created if they are missing; `default` always is. */
  readonly namespaces?: readonly string[];
  /** File that gets what the server says. */
  readonly log?: string;
  /** How much a power cut may take: 2 (default) nothing that was acknowledged, 0 anything; a crash takes nothing either way. */
  readonly synchronous?: 0 | 1 | 2;
  /** Told before the server answers, so that it can be found even if this process is killed meanwhile. */
  readonly onSpawn?: (identity: ProcessIdentity) => void;
}

export interface RunningServer {
  readonly address: string;
  readonly ui?: string;
  readonly identity: ProcessIdentity;
  readonly child: ChildProcess;
}

/** The server ended or did not answer in time; the message is one sentence. */
export class ServerFailed extends Error {
  override readonly name = 'ServerFailed';

  /** @param isEarly it ended before it had answered. */
  constructor(
    message: string,
    readonly isEarly = false,
  ) {
    super(message);
  }
}

const ATTEMPTS = 3;
const HEALTHY_WITHIN_MS = 30_000;
const HOST = '127.0.0.1';

/**
 * Starts a Temporal dev server on a file and comes back when it answers.
 *
 * Caveats: the server makes the tables only if the file does not exist; see `ensureDatabase`.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(options);
    } catch (error) {
      // It draws ports for its inner services itself, and somebody may be quicker.
      if (attempt === ATTEMPTS || !(error instanceof ServerFailed && error.isEarly)) throw error;
    }
  }
}

async function startOnce(options: ServerOptions): Promise<RunningServer> {
  const earlier = options.log !== undefined && existsSync(options.log) ? statSync(options.log).size : 0;
  const child = spawnApart(options.binary, flagsOf(options), { log: options.log });
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (error) => reject(new ServerFailed(`Temporal cannot be started (${error.message})`)));
    child.once('exit', (code, signal) => reject(new ServerFailed(`Temporal ended at once (${signal ?? `exit code ${code}`})`, true)));
  });
  failed.catch(() => {}); // of interest only until it answers
  const address = `${HOST}:${options.port}`;
  const identity = child.pid === undefined ? undefined : identify(child.pid);
  if (identity) options.onSpawn?.(identity);
  try {
    await Promise.race([healthy(options.binary, address), failed]);
  } catch (error) {
    child.kill('SIGKILL');
    const reason = error instanceof ServerFailed && error.isEarly ? lastErrorIn(options.log, earlier) : undefined;
    throw reason === undefined ? error : new ServerFailed(`Temporal ended at once (${reason})`, true);
  }
  if (!identity) throw new ServerFailed('Temporal ended at once');
  return { address, identity, child, ...(options.uiPort === undefined ? {} : { ui: `http://${HOST}:${options.uiPort}` }) };
}

/** What the server itself gives as its reason, behind what stood in its log earlier; undefined where it gives none. */
function lastErrorIn(log: string | undefined, earlierBytes: number): string | undefined {
  if (log === undefined) return undefined;
  const text = readFileSync(log).subarray(earlierBytes).toString();
  const [, said] = text.match(/.*level=ERROR msg="((?:[^"\\]|\\.)*)"/s) ?? [];
  return said?.replace(/\\(.)/g, '$1');
}

function flagsOf({ database, port, uiPort, namespaces = [], synchronous = 2 }: ServerOptions): string[] {
  return [
    ...['server', 'start-dev', '--log-level', 'warn', '--ip', HOST, '--port', String(port)],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
    ...['--db-filename', database, '--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', `synchronous=${synchronous}`],
    ...namespaces.filter((name) => name !== 'default').flatMap((name) => ['--namespace', name]),
    ...settingFlags(),
  ];
}

async function healthy(binary: string, address: string): Promise<void> {
  const until = Date.now() + HEALTHY_WITHIN_MS;
  while (!(await answers(binary, address))) {
    if (Date.now() > until) throw new ServerFailed(`Temporal does not answer at ${address} after ${HEALTHY_WITHIN_MS / 1000} s`);
    await new Promise((wake) => setTimeout(wake, 50));
  }
}

/** True when a Temporal server says there that it is serving. */
export function answers(binary: string, address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const args = ['operator', 'cluster', 'health', '--address', address, '--command-timeout', '2s'];
    execFile(binary, args, { timeout: 5_000 }, (error, stdout) => resolve(!error && stdout.includes('SERVING')));
  });
}
