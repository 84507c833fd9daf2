import { relative } from 'node:path';
import { type Config, ConfigError, readConfig } from '../../config.ts';
import { type FoundEngine, findEngine } from '../../embedded/find-engine.ts';
import { TemporalNotFound } from '../../embedded/find-temporal.ts';
import { takeHome } from '../../embedded/home-lock.ts';
import { Installation } from '../../embedded/installation.ts';
import { ServerFailed } from '../../embedded/start-server.ts';
import type { Run } from '../context.ts';
import { patiently } from '../patiently.ts';

export interface UpOptions {
  /** Gets what a person should read, a line each; default stdout. */
  readonly print?: (line: string) => void;
}

/** `npm start`: starts all that colony needs on this machine and stays until Ctrl-C. Answers with the exit code. */
export async function up({ print = console.log }: UpOptions = {}): Promise<number> {
  try {
    const config = readConfig();
    const lock = takeHome(config.home);
    if ('release' in lock) return await hold(config, print).finally(lock.release);
    print(`colony is already running here (pid ${lock.heldBy.pid}, home ${here(config.home)}).`);
    return 1;
  } catch (error) {
    if (!isForPeople(error)) throw error;
    print(`colony cannot start: ${error.message}`);
    return 1;
  }
}

/** As the catalogue of commands wants it. */
export const run: Run<object> = (context) => up({ print: (line) => context.io.out(`${line}\n`) });

async function hold(config: Config, print: (line: string) => void): Promise<number> {
  const began = Date.now();
  const installation = new Installation(config, print);
  const stopped = untilSignal(() => void installation.stop(0).finally(() => process.exit(1)));
  try {
    const engine = findEngine();
    const started = installation.start().then(async () => announce(installation, config, await engine, Date.now() - began, print));
    await patiently(started, stopped, () => print(stillStarting(installation)));
    await stopped;
    print('Stopping …');
    return 0;
  } finally {
    await installation.stop();
  }
}

/** Patient, because a Temporal may come later than this; but not silent about it. */
function stillStarting({ trouble, logFolder }: Installation): string {
  return `… still starting${trouble === undefined ? '' : `: ${trouble}`}; the logs are in ${here(logFolder)}`;
}

function announce(
  { state, logFolder }: Installation,
  config: Config,
  engine: FoundEngine,
  tookMs: number,
  print: (line: string) => void,
): void {
  print(`colony is up (${(tookMs / 1000).toFixed(1)} s).`);
  print(`  Temporal     ${state.address}, namespace ${state.namespace}${config.address ? ' (from TEMPORAL_ADDRESS)' : ''}`);
  if (!config.address) print(`  Temporal UI  ${state.ui}/namespaces/${state.namespace}/workflows`);
  print(`  processes    worker ${state.pids.worker?.pid}, node ${config.node} ${state.pids.node?.pid}; restarted if they die`);
  print(`  runs         ${runtimesText(engine)}`);
  print(`  kept in      ${here(config.home)} (logs in ${here(logFolder)})`);
  print('Next, in another terminal:');
  print('  npx colony apply -f examples/05-instances/local.yaml');
  print('  npx colony get executordeployments');
  print('  npx colony --help       all commands');
  print('  npm run demo            a tour of a minute');
  print('Ctrl-C ends it; resources are kept and go on at the next start.');
}

/** What instances can be here, and why not. */
function runtimesText({ host, version }: FoundEngine): string {
  const local = process.env.COLONY_ALLOW_LOCAL === 'false' ? '' : 'processes (runtime: local)';
  const docker = version ? `containers (Docker ${version})` : `no containers: no Docker engine answers at ${host}`;
  return [docker, local].filter((text) => text !== '').join('; ');
}

/** Done at the first signal to end; the second one means now. */
function untilSignal(now: () => void): Promise<void> {
  return new Promise((resolve) => {
    let heard = 0;
    const hear = (): void => {
      heard += 1;
      if (heard === 1) resolve();
      else now();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, hear);
  });
}

const here = (path: string): string => relative(process.cwd(), path) || '.';

const isForPeople = (error: unknown): error is Error =>
  error instanceof ConfigError || error instanceof TemporalNotFound || error instanceof ServerFailed;
