import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createLocalRuntime } from '../../../activities/runtimes/local/local-runtime.ts';
import { type NodePolicy, strictPolicy } from '../../../activities/runtimes/policy.ts';
import type { LogOptions, Runtime, Seen } from '../../../activities/runtimes/runtime.ts';
import type { InstanceOwner, InstanceRevision } from '../../../definitions/core/instance.ts';
import type { StopManner, Template } from '../../../definitions/core/template.ts';
import { plainTemplate } from '../plain-template.ts';

export const permissive: NodePolicy = { ...strictPolicy, allowLocal: true };
export const atOnce: StopManner = { signal: 'SIGKILL', graceSeconds: 0 };
export const gently: StopManner = { signal: 'SIGTERM', graceSeconds: 5 };

const plain: Template = { ...plainTemplate, runtime: 'local', stop: gently };

/** A folder with local instances of one owner, for one test. */
export class LocalStage {
  readonly folder = mkdtempSync(join(tmpdir(), 'colony-local-'));
  readonly owner: InstanceOwner = { uid: `uid-${Math.random()}`, resource: 'webs/default/web', name: 'web' };
  readonly runtime = this.agent();

  /** An agent on this folder; a second one is what comes after a restart. */
  agent(changes: Partial<NodePolicy> = {}, cluster = 'cluster-1'): Runtime {
    return createLocalRuntime({ folder: this.folder, node: 'node-1', cluster, policy: { ...permissive, ...changes } });
  }

  revision(command: readonly string[], changes: Partial<Template> = {}): InstanceRevision {
    return { digest: '0123456789abcdef', generation: 1, template: { ...plain, command, ...changes } };
  }

  shell(script: string, changes: Partial<Template> = {}): InstanceRevision {
    return this.revision(['sh', '-c', script], changes);
  }

  async start(revision: InstanceRevision, slot = 0): Promise<Seen> {
    await this.runtime.ensure(this.owner, revision, slot);
    return this.only(slot);
  }

  async only(slot = 0): Promise<Seen> {
    const seen = (await this.runtime.list(this.owner.uid)).filter((each) => each.slot === slot);
    if (seen.length !== 1) throw new Error(`${seen.length} instances in slot ${slot}`);
    return seen[0]!;
  }

  /** The instance as soon as it is so. */
  async until(isSo: (seen: Seen) => boolean, slot = 0): Promise<Seen> {
    return eventually(async () => {
      const seen = await this.only(slot);
      return isSo(seen) ? seen : undefined;
    });
  }

  path({ id }: Seen, ...names: readonly string[]): string {
    const [, hash = '', ...entry] = id.split('-');
    return join(this.folder, hash, entry.join('-'), ...names);
  }

  /** Pid of the shim of the last run. */
  leader(seen: Seen): number {
    const runs = readdirSync(this.path(seen, 'runs')).filter((name) => name.endsWith('.claim'));
    return this.leaderOf(seen, Math.max(...runs.map((name) => Number.parseInt(name, 10))));
  }

  leaderOf(seen: Seen, run: number): number {
    return Number.parseInt(readFileSync(this.path(seen, 'runs', `${run}.claim`), 'utf8'), 10);
  }

  async text(seen: Seen, options: Partial<LogOptions> = {}): Promise<string> {
    const signal = AbortSignal.timeout(10_000);
    const parts: Uint8Array[] = [];
    const all = { follow: false, previous: false, timestamps: false, signal, ...options };
    for await (const { data } of this.runtime.logs(seen.id, all)) parts.push(data);
    return Buffer.concat(parts).toString('utf8');
  }

  /** The first line it says that matches; waits for it. */
  async said(seen: Seen, pattern: RegExp): Promise<string> {
    return eventually(async () => pattern.exec(await this.text(seen))?.[0]);
  }

  /** Ends every process that was started here. */
  async clear(): Promise<void> {
    for (const { id } of await this.runtime.list(this.owner.uid)) await this.runtime.remove(this.owner.uid, id, atOnce);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const PATIENCE_MS = 10_000;

/** The first answer that is not undefined. */
export async function eventually<T>(ask: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await pause(10)) {
    const answer = await ask();
    if (answer !== undefined) return answer;
  }
  throw new Error('it never came');
}
