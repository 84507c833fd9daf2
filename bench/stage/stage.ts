import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { endProcess } from '../../activities/runtimes/local/process-identity.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { ensureSearchAttributes } from '../../src/embedded/search-attributes.ts';
import { type RunningServer, startServer } from '../../src/embedded/start-server.ts';
import { Child, type ChildOptions } from './child.ts';

/** NODE_EXTRA_CA_CERTS alone makes every start of Node 40 ms longer, for certificates that loopback has no use for. */
const CALLERS_OWN = /^(COLONY_|TEMPORAL_|NODE_OPTIONS$|NODE_EXTRA_CA_CERTS$)/;

export interface StageOptions {
  /** The `temporal` binary. */
  readonly binary: string;
  /** Folder that gets a CPU profile of every process of ours. */
  readonly profiles?: string;
}

/**
 * A Temporal server of its own on a fresh file, with the settings that `colony up` gives it, and the processes started on it.
 *
 * Guarantees: `close` ends everything it started; a process that dies early fails whoever waits for it.
 */
export class Stage {
  private readonly children: Child[] = [];

  private constructor(
    readonly binary: string,
    readonly folder: string,
    readonly client: Client,
    private readonly server: RunningServer,
    private readonly profiles: string | undefined,
  ) {}

  static async open({ binary, profiles }: StageOptions): Promise<Stage> {
    const folder = mkdtempSync(join(tmpdir(), 'colony-bench-'));
    const server = await startServer({
      binary,
      database: join(folder, 'temporal.db'),
      port: await freePort(),
      log: join(folder, 'temporal.log'),
    });
    const connection = await Connection.connect({ address: server.address });
    // Before any worker comes, so that registering them is in nobody's time.
    await ensureSearchAttributes(connection, 'default');
    return new Stage(binary, folder, new Client({ connection }), server, profiles);
  }

  get address(): string {
    return this.server.address;
  }

  get serverPid(): number {
    return this.server.identity.pid;
  }

  /** What a process needs to find this stage, and nothing of the caller's own settings. */
  get env(): NodeJS.ProcessEnv {
    const others = Object.entries(process.env).filter(([name]) => !CALLERS_OWN.test(name));
    return {
      ...Object.fromEntries(others),
      TEMPORAL_ADDRESS: this.address,
      COLONY_HOME: join(this.folder, 'home'),
      COLONY_LOG_LEVEL: 'warn',
      NODE_ENV: 'production',
    };
  }

  /** Starts dist/bench/<entry>.mjs and comes back when it says that it is ready. */
  async start(entry: string, { env = {}, execArgv = [] }: Partial<ChildOptions> = {}): Promise<Child> {
    const profiling = this.profiles ? ['--cpu-prof', '--cpu-prof-dir', this.profiles] : [];
    const child = new Child(
      entry,
      { env: { ...this.env, ...env }, execArgv: [...profiling, ...execArgv] },
      join(this.folder, 'processes.log'),
    );
    this.children.push(child);
    await child.ready;
    return child;
  }

  async close(): Promise<void> {
    await Promise.all(this.children.map((child) => child.stop()));
    await this.client.connection.close();
    await endProcess(this.server.identity, 0);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** For the end of this process when there is no time to wait. */
  kill(): void {
    for (const child of this.children) child.kill();
    this.server.child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
