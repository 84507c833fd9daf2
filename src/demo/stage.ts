import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endProcess, identify, type ProcessIdentity } from '../../activities/runtimes/local/process-identity.ts';
import { type Config, cloneRoot, readConfig } from '../config.ts';
import { prepareTemporal } from '../embedded/embedded-temporal.ts';
import { Logs } from '../embedded/logs.ts';
import { freePort } from '../embedded/ports.ts';
import { spawnApart } from '../embedded/spawn-apart.ts';

/** What a command printed, and how it ended. */
export interface Played {
  readonly code: number;
  readonly said: string;
}

/**
 * A colony of the demo's own: Temporal, a worker and an executor, on a temporary home.
 *
 * Guarantees: takes nothing that is there (home, ports, TEMPORAL_ADDRESS); `clear` ends every process it started and removes the home.
 */
export class Stage {
  readonly home = mkdtempSync(join(tmpdir(), 'colony-demo-'));
  /** Where the widgets are made. */
  readonly widgets = join(this.home, 'widgets');
  private readonly logs = new Logs(this.home);
  private readonly running = new Map<string, ProcessIdentity>();
  private address = '';

  constructor(private readonly say: (sentence: string) => void) {}

  async startTemporal(): Promise<string> {
    const { address: _, ...config } = readConfig();
    const own: Config = {
      ...config,
      address: undefined,
      home: this.home,
      temporalNamespace: 'default',
      temporalPort: await freePort(),
      uiPort: await freePort(),
    };
    const onSpawn = (identity: ProcessIdentity): void => void this.running.set('temporal', identity);
    const temporal = await prepareTemporal({ config: own, logs: this.logs, say: this.say, onSpawn });
    await temporal.start();
    this.address = temporal.address;
    return temporal.ui;
  }

  /** Comes back when it polls. */
  async startWorker(): Promise<void> {
    const worker = join(cloneRoot(), 'dist', 'worker.mjs');
    const child = spawnApart(process.execPath, [worker], { log: this.logs.path('worker'), env: this.env, ipc: true });
    await this.ready('worker', child, once(child, 'message'));
  }

  async startExecutor(): Promise<void> {
    const args = [join(cloneRoot(), 'dist', 'cli.mjs'), 'executor', 'examples/01-widget/executor.ts'];
    const child = spawn(process.execPath, args, { cwd: cloneRoot(), env: this.env, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    const ready = new Promise((resolve) => child.stdout.on('data', (text) => String(text).includes('ready') && resolve(true)));
    await this.ready('executor', child, ready);
  }

  /** kill -9, as a power cut would. Answers with the process id. */
  async kill(name: 'worker' | 'executor'): Promise<number> {
    const identity = this.running.get(name);
    if (!identity) throw new Error(`there is no ${name} to kill`);
    await endProcess(identity, 0);
    this.running.delete(name);
    return identity.pid;
  }

  /** Runs `colony …`. */
  async play(args: readonly string[]): Promise<Played> {
    const cli = join(cloneRoot(), 'dist', 'cli.mjs');
    const child = spawn(process.execPath, [cli, ...args], { cwd: cloneRoot(), env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
    const [code] = await once(child, 'close');
    return { code: code ?? 1, said };
  }

  async clear(): Promise<void> {
    const { temporal, ...others } = Object.fromEntries(this.running);
    await Promise.all(Object.values(others).map((identity) => endProcess(identity, 0)));
    if (temporal) await endProcess(temporal, 0);
    this.logs.close();
    rmSync(this.home, { recursive: true, force: true, maxRetries: 3 });
  }

  private get env(): NodeJS.ProcessEnv {
    const inherited = Object.entries(process.env).filter(([name]) => !/^(COLONY|TEMPORAL)_/.test(name));
    const { home: COLONY_HOME, widgets: WIDGETS_DIR, address: TEMPORAL_ADDRESS } = this;
    return { ...Object.fromEntries(inherited), TEMPORAL_ADDRESS, COLONY_HOME, WIDGETS_DIR };
  }

  private async ready(name: string, child: ChildProcess, ready: Promise<unknown>): Promise<void> {
    const identity = child.pid === undefined ? undefined : identify(child.pid);
    if (identity) this.running.set(name, identity);
    const ended = once(child, 'exit').then(() => Promise.reject(new Error(`the ${name} ended at once; its log is in ${this.logs.folder}`)));
    ended.catch(() => {}); // of interest only until it is ready
    await Promise.race([ready, ended]);
  }
}
