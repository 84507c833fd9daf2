import { join, relative } from 'node:path';
import { endProcess, identify, type ProcessIdentity } from '../../activities/runtimes/local/process-identity.ts';
import { type Config, cloneRoot } from '../config.ts';
import { type ProcessName, type Run, readRun, writeRun } from '../run-file.ts';
import { prepareTemporal } from './embedded-temporal.ts';
import { Logs } from './logs.ts';
import { spawnApart } from './spawn-apart.ts';
import { Supervisor } from './supervise.ts';

const GRACE_MS = 6_000;
/** Short, because a database that survived a kill -9 of everything needs no goodbye. */
const LEFTOVER_GRACE_MS = 500;

type Role = 'worker' | 'node';

/** What a worker or a node tells who started it: that it polls, or what keeps it from that. */
export type WorkerWord = { readonly ready: true } | { readonly ready: false; readonly trouble: string };

/**
 * The processes of one `colony up`: Temporal (unless the environment names one), a worker, a node.
 *
 * Guarantees: every process is in run.json from its first moment, so that whoever comes after a kill -9 finds and ends what was
 * left; a process that dies is started again, Temporal on the same address.
 */
export class Installation {
  private readonly supervisors: Supervisor[] = [];
  private readonly pids: Partial<Record<ProcessName, ProcessIdentity>> = {};
  private readonly logs: Logs;
  private run: Omit<Run, 'pids'>;
  private readonly troubles = new Map<Role, string>();

  constructor(
    private readonly config: Config,
    private readonly say: (sentence: string) => void,
  ) {
    const last = readRun(config.home);
    this.logs = new Logs(config.home);
    this.run = {
      address: config.address ?? last?.address ?? '',
      namespace: config.temporalNamespace,
      ...(last?.ui ? { ui: last.ui } : {}),
    };
  }

  /** What runs where; complete once `start` is done. */
  get state(): Run {
    return { ...this.run, pids: { ...this.pids } };
  }

  get logFolder(): string {
    return this.logs.folder;
  }

  /** What keeps it from being ready, as far as its processes know. */
  get trouble(): string | undefined {
    return [...this.troubles.values()][0];
  }

  /** Comes back when the worker and the node are ready for work. */
  async start(): Promise<void> {
    await this.endLeftovers();
    this.note('up', identify(process.pid));
    const startTemporal = this.config.address ? undefined : await this.prepareTemporal();
    // All at once: a worker takes as long to load as Temporal to start, and waits for it.
    await Promise.all([startTemporal?.(), this.startRole('worker'), this.startRole('node')]);
  }

  /** Ends what was started, Temporal last, so that the others can say goodbye to it. */
  async stop(graceMs = GRACE_MS): Promise<void> {
    for (const supervisor of this.supervisors) supervisor.cease();
    await Promise.all([this.end('worker', graceMs), this.end('node', graceMs)]);
    await this.end('temporal', graceMs);
    this.note('up', undefined);
    this.logs.close();
  }

  /** A kill -9 of an earlier `colony up` leaves its Temporal running, on the ports and the database that we want. */
  private async endLeftovers(): Promise<void> {
    const { up: _, ...left } = readRun(this.config.home)?.pids ?? {};
    await Promise.all(Object.values(left).map((identity) => endProcess(identity, LEFTOVER_GRACE_MS)));
  }

  private async prepareTemporal(): Promise<() => Promise<void>> {
    const onSpawn = (identity: ProcessIdentity): void => this.note('temporal', identity);
    const temporal = await prepareTemporal({ config: this.config, logs: this.logs, say: this.say, onSpawn });
    this.run = { ...this.run, address: temporal.address, ui: temporal.ui };
    return () => this.supervise('temporal', async () => (await temporal.start()).child);
  }

  /** Done when the process says that it polls. */
  private startRole(role: Role): Promise<void> {
    const env = {
      // On a person's own machine; the agents of other machines must be told.
      COLONY_ALLOW_LOCAL: 'true',
      ...process.env,
      TEMPORAL_ADDRESS: this.run.address,
      COLONY_HOME: this.config.home,
    };
    const args = [join(cloneRoot(), 'dist', 'worker.mjs'), '--role', role];
    return new Promise((ready, reject) => {
      const start = () => {
        const child = spawnApart(process.execPath, args, { log: this.logs.path(role), env, ipc: true });
        child.on('message', (word: WorkerWord) => {
          this.hear(role, word);
          if (word.ready) ready();
        });
        return child;
      };
      this.supervise(role, start).catch(reject);
    });
  }

  /** A Temporal of our own is about to come, and its absence no news; of one that somebody named nobody else would tell. */
  private hear(role: Role, word: WorkerWord): void {
    const known = new Set(this.troubles.values());
    if (word.ready) this.troubles.delete(role);
    else this.troubles.set(role, word.trouble);
    if (!word.ready && this.config.address && !known.has(word.trouble)) this.say(`${word.trouble} (from TEMPORAL_ADDRESS); trying again.`);
  }

  private supervise(name: ProcessName, start: Supervisor['supervision']['start']): Promise<void> {
    const onEnd = (reason: string, againInMs: number): void =>
      this.say(
        `${name} ended (${reason}); it is started again in ${againInMs / 1000} s. Its log: ${relative(process.cwd(), this.logs.path(name))}`,
      );
    const supervisor = new Supervisor({ start, onEnd, onChange: (identity) => this.note(name, identity) });
    this.supervisors.push(supervisor);
    return supervisor.start();
  }

  private async end(name: ProcessName, graceMs: number): Promise<void> {
    const identity = this.pids[name];
    if (identity) await endProcess(identity, graceMs);
    this.note(name, undefined);
  }

  private note(name: ProcessName, identity: ProcessIdentity | undefined): void {
    if (identity) this.pids[name] = identity;
    else delete this.pids[name];
    writeRun(this.config.home, this.state);
  }
}
