import type { ChildProcess } from 'node:child_process';
import { rmdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ImageAnswer, InstanceOwner, InstanceRevision } from '../../../definitions/core/instance.ts';
import type { ProbeCheck, StopManner, Template } from '../../../definitions/core/template.ts';
import { Turns } from '../../instances/turns.ts';
import type { Revealer } from '../../secrets/revealer.ts';
import type { NodePolicy } from '../policy.ts';
import {
  type EnsureManner,
  type ExecRequest,
  type ExecSession,
  type LogChunk,
  type LogOptions,
  Problem,
  type Runtime,
  type Seen,
  Unreachable,
  type Usage,
  usualStop,
} from '../runtime.ts';
import { environmentOf, workingDirOf } from './environment.ts';
import { killBeside, openExec, type Surroundings } from './exec.ts';
import { logFile, streams } from './log-files.ts';
import { markOf } from './marks.ts';
import { instanceName, isThere, isUnder, type Place, placeOf, placeOfId, placesAside, placesIn, setAside } from './place.ts';
import { probe } from './probe.ts';
import { readLogs } from './read-logs.ts';
import { type InstanceRecord, keepRecord, readRecord } from './record.ts';
import { refuseForeign, refuseUnlessAllowed } from './refuse.ts';
import { rotateLog } from './rotate-log.ts';
import { lastRun, type Run, runNumbers, sessionOf } from './run.ts';
import { seenOf, seenWithoutRecord } from './seen.ts';
import { endSession, killMarked, killSession, wakeSession } from './session.ts';
import { startRun } from './start-run.ts';
import { usageOf } from './usage.ts';
import { InstanceWatch } from './watch.ts';

export interface LocalRuntimeOptions {
  /** Where instances are kept; absolute. */
  readonly folder: string;
  readonly node: string;
  /** Instances of another cluster are strangers. */
  readonly cluster: string;
  readonly policy: NodePolicy;
  /** Knows the secrets that templates name; absent: they stay references. */
  readonly revealer?: Revealer | undefined;
}

/**
 * Runs instances as plain processes of this machine, with the rights of the agent.
 *
 * Each lives in a session of its own, outlives the agent, and is found again by pid and start time. How it ends is noted by its
 * shim, whether an agent lives or not.
 */
export const createLocalRuntime = (options: LocalRuntimeOptions): Runtime => new LocalRuntime(options);

class LocalRuntime implements Runtime {
  readonly name = 'local';
  private readonly turns = new Turns();
  private readonly watches = new Set<InstanceWatch>();
  private readonly beside = new Map<string, Set<ChildProcess>>();

  constructor(private readonly options: LocalRuntimeOptions) {}

  async list(uid?: string): Promise<readonly Seen[]> {
    const seen = truthfully(() => placesIn(this.options.folder, uid).flatMap((place) => this.look(place, uid) ?? []));
    return seen.sort((a, b) => compare(a.owner.uid, b.owner.uid) || a.slot - b.slot || compare(a.id, b.id));
  }

  async ensure(owner: InstanceOwner, revision: InstanceRevision, slot: number, { once = false }: EnsureManner = {}): Promise<void> {
    refuseUnlessAllowed(this.options.policy);
    const place = placeOf(this.options.folder, owner.uid, slot, revision.digest);
    await this.turns.take(place.id, async () => {
      const kept = readRecord(place);
      if (kept && !this.isOwn(kept, owner.uid)) throw new Problem('StartFailed', 'Its folder on this node belongs to somebody else.');
      const run = await settledRun(place);
      const session = sessionOf(place, run);
      if (kept && session && run?.state === 'paused') wakeSession(session);
      if (kept && session && run?.state !== 'ended') return;
      if (kept && once && run) return;
      refuseForeign(revision.template);
      // What runs without a readable record cannot be told from what should run.
      if (!kept && session) await killSession(session);
      const record = kept ?? keepRecord(place, this.recordOf(owner, revision, slot, once));
      await startRun(place, record, nextNumber(run), this.reveal);
      this.noteChange(place);
    });
  }

  async restart(uid: string, id: string, stop: StopManner): Promise<void> {
    refuseUnlessAllowed(this.options.policy);
    await this.turns.take(id, async () => {
      const place = this.placeOfOwner(uid, id);
      const record = place && readRecord(place);
      if (!place || !record) return;
      await this.end(place, stop);
      await startRun(place, record, nextNumber(await settledRun(place)), this.reveal);
      this.noteChange(place);
    });
  }

  async remove(uid: string, id: string, stop?: StopManner): Promise<void> {
    await this.turns.take(id, async () => {
      const place = this.placeOfOwner(uid, id);
      if (!place) return;
      await this.end(place, stop ?? readRecord(place)?.template.stop ?? usualStop);
      await this.discard(setAside(place));
      removeIfEmpty(dirname(place.folder));
      for (const watch of this.watches) watch.forget(id);
    });
  }

  async resolveImage(image: string): Promise<ImageAnswer> {
    return { image, problem: { reason: 'RuntimeUnavailable', message: 'Runtime local runs processes and has no images.' } };
  }

  async probe(id: string, check: ProbeCheck, timeoutMs: number): Promise<void> {
    const { place, record } = this.find(id);
    await probe({ ...(await this.surroundingsOf(place, record)), ports: record.ports }, check, timeoutMs);
  }

  async *logs(id: string, options: LogOptions): AsyncGenerator<LogChunk> {
    yield* readLogs(this.find(id).place, options);
  }

  async exec(id: string, request: ExecRequest): Promise<ExecSession> {
    const { place, record } = this.find(id);
    const state = lastRun(place)?.state;
    if (state !== 'running' && state !== 'paused') throw new Error(`${record.name} does not run`);
    const { child, session } = openExec(await this.surroundingsOf(place, record), request);
    const others = this.beside.get(id) ?? new Set();
    this.beside.set(id, others.add(child));
    child.once('exit', () => others.delete(child));
    return session;
  }

  async stats(ids: readonly string[]): Promise<readonly Usage[]> {
    const sessions = ids.flatMap((id) => {
      const place = placeOfId(this.options.folder, id);
      const run = place && this.isOwn(readRecord(place)) ? lastRun(place) : undefined;
      return place && run?.state !== 'ended' ? (sessionOf(place, run) ?? []) : [];
    });
    return usageOf(sessions);
  }

  async watch(onReady: () => void, onChange: (owner: InstanceOwner) => void, signal: AbortSignal): Promise<void> {
    const { logBytes, logFiles } = this.options.policy.defaults;
    const rotate = (place: Place, run: number): void => {
      // A log that cannot be cut now is cut at the next glance.
      for (const stream of streams) rotateLog(logFile(place, run, stream), logBytes, logFiles).catch(() => undefined);
    };
    const watch = new InstanceWatch(() => this.everything(), onChange, rotate);
    this.watches.add(watch);
    try {
      await this.sweep();
      await watch.keepWatching(onReady, signal);
    } catch (error) {
      throw unreachable(error);
    } finally {
      this.watches.delete(watch);
    }
  }

  /** Undefined for a stranger's, and for what is no instance yet. */
  private look(place: Place, uid: string | undefined): Seen | undefined {
    const record = readRecord(place);
    if (record) return this.isOwn(record, uid) ? seenOf(place, record) : undefined;
    return uid !== undefined && runNumbers(place).length > 0 ? seenWithoutRecord(place, uid) : undefined;
  }

  private async discard(gone: Place): Promise<void> {
    // A start that was under way may have claimed a run until the very rename.
    await this.end(gone, { signal: 'SIGKILL', graceSeconds: 0 });
    await killMarked(gone);
    await rm(gone.folder, { recursive: true, force: true });
  }

  /** Takes away what a remove left that was cut short. */
  private async sweep(): Promise<void> {
    for (const gone of placesAside(this.options.folder)) await this.turns.take(gone.id, () => this.discard(gone));
  }

  private everything(): readonly { readonly place: Place; readonly owner: InstanceOwner }[] {
    return placesIn(this.options.folder).flatMap((place) => {
      const record = readRecord(place);
      return record && this.isOwn(record) ? [{ place, owner: record.owner, isQuiet: record.once === true }] : [];
    });
  }

  private isOwn(record: InstanceRecord | undefined, uid = record?.owner.uid): boolean {
    return record !== undefined && record.cluster === this.options.cluster && record.owner.uid === uid;
  }

  /** Undefined when there is nothing, or when it is a stranger's. */
  private placeOfOwner(uid: string, id: string): Place | undefined {
    const place = placeOfId(this.options.folder, id);
    if (!place || !isUnder(place, this.options.folder, uid) || !isThere(place)) return undefined;
    const record = readRecord(place);
    return record && !this.isOwn(record, uid) ? undefined : place;
  }

  private find(id: string): { readonly place: Place; readonly record: InstanceRecord } {
    const place = placeOfId(this.options.folder, id);
    const record = place && readRecord(place);
    if (!place || !record || !this.isOwn(record)) throw new Error(`there is no instance ${id} on this node`);
    return { place, record };
  }

  private recordOf(owner: InstanceOwner, { digest, generation, template }: InstanceRevision, slot: number, once: boolean): InstanceRecord {
    const { cluster, node } = this.options;
    const name = instanceName(owner, slot, digest);
    return { cluster, node, owner, name, slot, digest, generation, template, ports: [], ...(once && { once }) };
  }

  /** What is kept on disk names secrets; only its processes know them. */
  private readonly reveal = async (template: Template): Promise<Template> => (await this.options.revealer?.reveal(template)) ?? template;

  private async surroundingsOf(place: Place, record: InstanceRecord): Promise<Surroundings> {
    const template = await this.reveal(record.template);
    return { env: environmentOf({ ...record, template }, markOf(place)), workingDir: workingDirOf(record, place) };
  }

  /** Ends the instance and whatever was run beside it. */
  private async end(place: Place, stop: StopManner): Promise<void> {
    const session = sessionOf(place, await settledRun(place));
    if (session) await endSession(session, stop);
    for (const child of this.beside.get(place.id) ?? []) killBeside(child);
    this.beside.delete(place.id);
  }

  private noteChange(place: Place): void {
    const record = readRecord(place);
    if (record) for (const watch of this.watches) watch.lookAt({ place, owner: record.owner, isQuiet: record.once === true });
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const nextNumber = (run: Run | undefined): number => (run?.number ?? 0) + 1;

/** The last run, once it is clear whether it began. */
async function settledRun(place: Place): Promise<Run | undefined> {
  for (;;) {
    const run = lastRun(place);
    if (run?.state !== 'claimed') return run;
    await pause(10);
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Other instances of the owner are there.
  }
}

function truthfully<T>(look: () => T): T {
  try {
    return look();
  } catch (error) {
    throw unreachable(error);
  }
}

const unreachable = (error: unknown): Unreachable => new Unreachable(`The instances on disk cannot be read: ${(error as Error).message}`);
