import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { expect } from 'vitest';
import type { Condition, JsonObject, Metadata, Resource } from '../../definitions/core/resource.ts';
import type { ReplicasFacts } from '../../definitions/replicas/report.ts';
import type { ColonyClient, Resources } from '../../src/client/api.ts';
import { connect } from '../../src/client/connect.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { eventsOf, historiesOf, troubles } from '../stress/histories.ts';
import { runAgent } from './agent.ts';
import { EngineClient, type Inspected, type Listed } from './docker/engine-client.ts';
import { dockerSocket } from './docker/host.ts';
import { type EngineEvent, Recorder } from './docker/recorder.ts';
import { expectUntouched, type Snapshot, snapshot } from './docker/strangers.ts';
import { Probe } from './probe.ts';
import { connectClient, leaseNamespace, startWorker, temporalAddress, unhurried } from './temporal.ts';
import { claimsOf, lieIn, type Sample, statesOf } from './timeline.ts';

export type Env = Readonly<Record<string, string>>;

export interface StageOptions {
  /** The socket that the node's agent uses; the engine's own unless told. */
  readonly through?: string;
  /** An engine other than the shared one. */
  readonly engineSocket?: string;
  /** Who runs: all in this process, the colony worker alone, or nobody, because the test starts processes. */
  readonly inProcess?: 'all' | 'worker' | 'nobody';
  readonly config?: Partial<Config>;
  /** Unless told, one that no other test has. */
  readonly node?: string;
  /** The agent hears of what happens and never looks around: what comes back does so because it was heard of. */
  readonly neverSweeps?: boolean;
  /** The engine goes away meanwhile, which strangers do not survive as they were. */
  readonly losesEngine?: boolean;
  /** Another server than the shared one. */
  readonly temporal?: { readonly address: string; readonly namespace: string; readonly client: Client };
}

export type Spec = Record<string, unknown>;

/** How old the truth may be that a status tells, while everybody is there to tell it. */
const FRESH_MS = 3_000;
/** Long enough for a busy machine: what never comes is the only thing that makes anybody wait for so long. */
const PATIENCE_MS = 150_000;
const NEVER_MS = 24 * 3_600_000;

/** The engine that tests have to themselves; without one they fail. */
export function testEngine(): string {
  if (dockerSocket === undefined) throw new Error('there is no Docker engine for the tests, and these prove nothing without one');
  return dockerSocket;
}

/**
 * One installation under test: a Temporal namespace, a node of its own name, an engine, and an observer of that engine that shares
 * no code with the product.
 */
export class Stage {
  readonly node: string;
  readonly home = mkdtempSync(join(tmpdir(), 'colony-stage-'));
  readonly #ends: (() => Promise<unknown> | unknown)[] = [];
  /** Of everything that was ever applied here. */
  readonly #uids = new Set<string>();
  #strangers: Snapshot = new Map();
  #names = 0;

  private constructor(
    readonly namespace: string,
    /** As the labels of its containers have it. */
    readonly cluster: string,
    readonly address: string,
    readonly engine: EngineClient,
    readonly recorder: Recorder,
    readonly client: Client,
    readonly colony: ColonyClient,
    private readonly options: StageOptions,
  ) {
    this.node = options.node ?? `n-${namespace}`;
  }

  static async start(options: StageOptions = {}): Promise<Stage> {
    const engine = new EngineClient(options.engineSocket ?? testEngine());
    const namespace = options.temporal?.namespace ?? leaseNamespace();
    const address = options.temporal?.address ?? temporalAddress();
    const [recorder, client, colony] = await Promise.all([
      Recorder.start(engine),
      options.temporal?.client ?? connectClient(namespace),
      connect({ address, temporalNamespace: namespace, timeoutMs: PATIENCE_MS }),
    ]);
    const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace });
    const stage = new Stage(namespace, namespaceInfo?.id ?? '', address, engine, recorder, client, colony, options);
    if (!options.losesEngine) await stage.#plantStrangers();
    const { inProcess = 'all' } = options;
    if (inProcess !== 'nobody') {
      const worker = await startWorker(namespace, { config: stage.config(), worker: unhurried });
      stage.onEnd(() => worker.stop());
    }
    if (inProcess === 'all') await stage.agent();
    return stage;
  }

  /** As processes of this installation are started. */
  get env(): Env {
    return {
      TEMPORAL_ADDRESS: this.address,
      TEMPORAL_NAMESPACE: this.namespace,
      DOCKER_HOST: this.dockerHost,
      COLONY_NODE: this.node,
      COLONY_HOME: this.home,
      COLONY_LOG_LEVEL: 'error',
      COLONY_FIRST_RETRY_MS: '200',
      COLONY_ALLOW_LOCAL: String(this.options.config?.allowLocal ?? false),
    };
  }

  get dockerHost(): string {
    return `unix://${this.options.through ?? this.engine.socket}`;
  }

  config(): Config {
    const { node } = this;
    const own = { temporalNamespace: this.namespace, address: this.address, node, defaultNode: node, home: this.home, firstRetryMs: 200 };
    return { ...readConfig(), ...own, ...this.options.config };
  }

  get deployments(): Resources {
    return this.colony.resources('compute.colonies.io/v1', 'ExecutorDeployment');
  }

  /** Applies a deployment of a fresh name and hands out everything there is to know about it. */
  async deployment(spec: Spec = {}, name = `d${++this.#names}`): Promise<Deployment> {
    const deployment = new Deployment(this, name);
    await deployment.apply({ image: 'colony-test:v1', replicas: 1, terminationGracePeriodSeconds: 2, ...spec });
    this.#uids.add(deployment.uid);
    this.onEnd(() => deployment.stopSampling());
    return deployment;
  }

  /** One more agent in this process, for a node of that name; unless told, the stage's own. */
  async agent({ node = this.node, through = this.options.through ?? this.engine.socket } = {}): Promise<void> {
    const config = { ...this.config(), node, home: join(this.home, node) };
    // One after the other: each reads DOCKER_HOST once, when it makes its runtimes.
    const started = agents.then(() => {
      process.env.DOCKER_HOST = `unix://${through}`;
      return runAgent(config, this.address, this.options.neverSweeps ? { sweepMs: NEVER_MS } : undefined);
    });
    agents = started.catch(() => {});
    this.onEnd(await started);
  }

  onEnd(end: () => Promise<unknown> | unknown): void {
    this.#ends.push(end);
  }

  /** Fails if anything was done to a stranger in all that time. */
  async end(): Promise<void> {
    await Promise.all(this.#ends.reverse().map((end) => end()));
    this.recorder.stop();
    const strangers = this.#strangers;
    try {
      await expectUntouched(this.engine, strangers);
    } finally {
      await this.#cleanUp([...strangers.keys()]);
    }
  }

  /** One without labels, one of another installation, and one whose labels are ours but make no sense. */
  async #plantStrangers(): Promise<void> {
    const labels = {
      'colony.node': this.node,
      'colony.uid': randomUUID(),
      'colony.resource': 'x',
      'colony.name': 'd1',
      'colony.slot': '0',
    };
    const whole = { ...labels, 'colony.digest': 'sha256:0', 'colony.generation': '1', 'colony.cluster': randomUUID() };
    const broken = { ...labels, 'colony.cluster': this.cluster, 'colony.slot': 'first' };
    const ids = await Promise.all([{}, whole, broken].map((one) => this.engine.createStranger({ labels: one as Env })));
    this.#strangers = await snapshot(this.engine, ids);
  }

  async #cleanUp(strangers: readonly string[]): Promise<void> {
    await this.colony.close();
    if (!this.options.temporal) await this.client.connection.close();
    const left = await this.engine.list('colony.resource').catch(() => []);
    const own = left.filter(({ Labels }) => this.#uids.has(Labels['colony.uid'] ?? ''));
    await Promise.all([...own.map(({ Id }) => Id), ...strangers].map((id) => this.engine.remove(id).catch(() => {})));
    rmSync(this.home, { recursive: true, force: true });
  }
}

let agents: Promise<unknown> = Promise.resolve();

export interface Facts extends ReplicasFacts {
  readonly phase?: string;
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
}

/** One ExecutorDeployment, as people, Temporal and the engine see it. */
export class Deployment {
  uid = '';
  readonly probe: Probe;
  readonly samples: Sample[] = [];
  #spec: Spec = {};
  #sampling: NodeJS.Timeout | undefined;
  #isLooking = false;
  #freshMs = FRESH_MS;

  constructor(
    private readonly stage: Stage,
    readonly name: string,
  ) {
    this.probe = new Probe(stage.client, `executordeployments.compute.colonies.io/default/${name}`, 'ExecutorDeployment');
  }

  /** The whole spec. */
  async apply(spec: Spec, metadata: Partial<Metadata> = {}): Promise<void> {
    this.#spec = spec;
    const outcome = await this.stage.deployments.apply({ metadata: { ...metadata, name: this.name }, spec: spec as JsonObject });
    this.uid = outcome.uid;
    if (!this.#sampling) this.#sampling = setInterval(() => void this.#sampleInTurn(), 200);
  }

  /** Some fields of it; `undefined` takes a field away. */
  async change(changes: Spec, metadata: Partial<Metadata> = {}): Promise<void> {
    const spec = Object.entries({ ...this.#spec, ...changes }).filter(([, value]) => value !== undefined);
    await this.apply(Object.fromEntries(spec), metadata);
  }

  /** Nobody may believe this status for that long, because somebody who tells it was away. */
  toleratesStatusOf(ms: number): void {
    this.#freshMs = ms;
  }

  async ready(timeoutMs = PATIENCE_MS): Promise<Facts> {
    try {
      await this.stage.deployments.waitFor(this.name, 'Ready', { timeoutMs });
      return await this.status();
    } catch (error) {
      const [{ conditions, instances, rollout }, events, there] = await Promise.all([
        this.status(),
        this.stage.deployments.events(this.name),
        this.containers(),
      ]);
      const containers = there.map(({ Names, State }) => `${Names[0]} ${State}`);
      const told = { conditions, instances, rollout, containers, events: events.slice(-12).map(({ message }) => message) };
      throw new Error(`${(error as Error).message}\n${JSON.stringify(told, undefined, 1)}`);
    }
  }

  resource(): Promise<Resource> {
    return this.stage.deployments.get(this.name) as Promise<Resource>;
  }

  async status(): Promise<Facts> {
    return ((await this.resource()).status ?? {}) as unknown as Facts;
  }

  async condition(type: string): Promise<Condition | undefined> {
    return (await this.status()).conditions?.find((one) => one.type === type);
  }

  /** Waits until the condition is as wished. */
  async shows(type: string, wished: Partial<Condition>, timeout = PATIENCE_MS): Promise<Condition> {
    let last: Condition | undefined;
    const isSo = async (): Promise<Condition | undefined> => {
      last = await this.condition(type);
      return last && Object.entries(wished).every(([key, value]) => last?.[key as keyof Condition] === value) ? last : undefined;
    };
    return eventually(() => `${this.name} shows ${JSON.stringify(wished)}, not ${JSON.stringify(last)}`, isSo, timeout);
  }

  command(name: string, args: JsonObject = {}): Promise<unknown> {
    return this.stage.deployments.command(this.name, name, args);
  }

  /** By slot, as the engine itself lists them. */
  async containers(): Promise<readonly Listed[]> {
    const listed = await this.stage.engine.list(`colony.uid=${this.uid}`, `colony.cluster=${this.stage.cluster}`);
    return [...listed].sort((a, b) => Number(a.Labels['colony.slot']) - Number(b.Labels['colony.slot']));
  }

  async ids(): Promise<string[]> {
    return (await this.containers()).map(({ Id }) => Id);
  }

  async inspect(): Promise<Inspected[]> {
    const all = await Promise.all((await this.ids()).map((id) => this.stage.engine.inspect(id)));
    return all.filter((one) => one !== undefined);
  }

  /** Exactly so many run, each in a slot of its own, all of one revision, and nothing else is there. */
  async runs(count: number, image?: string): Promise<readonly Listed[]> {
    const containers = await this.containers();
    expect(containers.map(({ State }) => State)).toEqual(Array.from({ length: count }, () => 'running'));
    expect(new Set(containers.map(({ Labels }) => Labels['colony.slot'])).size).toBe(count);
    expect(new Set(containers.map(({ Labels }) => Labels['colony.digest'])).size).toBeLessThanOrEqual(1);
    if (image) {
      const wanted = await this.stage.engine.imageId(image);
      for (const { ImageID } of containers) expect(ImageID).toBe(wanted);
    }
    return containers;
  }

  /** What happened to its containers since then, in the engine's words: `start`, `die`, … */
  happened(since = 0): EngineEvent[] {
    const { cluster, recorder } = this.stage;
    const isOwn = ({ 'colony.uid': uid, 'colony.cluster': of }: Env): boolean => uid === this.uid && of === cluster;
    return recorder.events.filter(({ at, attributes }) => at >= since && isOwn(attributes));
  }

  /** What somebody did to its containers, or to one of them. */
  operations(since = 0, only?: string): string[] {
    return this.happened(since)
      .filter(({ id, action }) => (only === undefined || id === only) && MUTATING.has(action))
      .map(({ action, attributes }) => `${action} ${attributes.name}`);
  }

  /** How many ran at each change, oldest first: only those that the filter means. */
  async runningOverTime(since: number, isMeant: (labels: Env) => boolean = () => true): Promise<number[]> {
    await this.stage.recorder.caughtUp();
    const states = statesOf(this.happened());
    return states.filter(({ until }) => until > since).map(({ running }) => running.filter(({ labels }) => isMeant(labels)).length);
  }

  /** How many history events its workflow has now, over all runs of the chain. */
  async historyLength(): Promise<number> {
    const { historyLength, runId, raw } = await this.probe.handle.describe();
    return historyLength + (runId === raw.workflowExecutionInfo?.firstRunId ? 0 : 1_000_000);
  }

  /** How many events one thing cost, of those that its workflow wrote since it had so many: without tasks that the server had done again. */
  async costSince(before: number): Promise<number> {
    const { history } = (await this.probe.runs()).at(-1) ?? {};
    return eventsOf(history ?? {}).filter((id) => id > before).length;
  }

  /** Waits for a time of that length in which nobody changes anything in the engine and nothing is written to its history. */
  async settledFor(ms: number, withinMs = PATIENCE_MS): Promise<void> {
    const end = Date.now() + withinMs + ms;
    let last = '';
    let since = Date.now();
    for (;;) {
      const now = `${await this.historyLength()} ${this.operations().length}`;
      if (now !== last) since = Date.now();
      else if (Date.now() - since >= ms) return;
      last = now;
      if (Date.now() > end) throw new Error(`${this.name} does not settle: ${this.operations().slice(-6).join(', ')}`);
      await pause(100);
    }
  }

  /** Deleted, completely: nothing is left, there never were two for one slot, and nobody was ever told a lie. */
  async ends({ timeoutMs = PATIENCE_MS, isDeleted = false } = {}): Promise<void> {
    this.stopSampling();
    if (!isDeleted) await this.stage.deployments.delete(this.name, { timeoutMs });
    expect(await this.stage.engine.tracesOf(this.uid)).toEqual([]);
    await this.isBlameless();
  }

  stopSampling(): void {
    clearInterval(this.#sampling);
  }

  /** What holds at every instant of its life. */
  async isBlameless(): Promise<void> {
    const { recorder } = this.stage;
    await recorder.caughtUp();
    expect(recorder.duplicates.filter(({ key }) => key.startsWith(`${this.uid}/`))).toEqual([]);
    if (recorder.gaps === 0) expect(lieIn(this.samples, statesOf(this.happened()), this.#freshMs)).toBeUndefined();
    const generations = this.samples.map(({ generation }) => generation);
    expect(generations, 'generations never go back').toEqual([...generations].sort((a, b) => a - b));
    const runs = await historiesOf(this.stage.client, this.probe.workflowId, this.uid);
    expect(runs.flatMap(({ history }) => troubles(history))).toEqual([]);
    await this.probe.replays();
  }

  /** Of two looks at once, on a busy machine, the older one may come back last. */
  async #sampleInTurn(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    await this.#sample().catch(() => {});
    this.#isLooking = false;
  }

  /** As the index shows it: asks no worker, so it can be read whoever is down. */
  async #sample(): Promise<void> {
    const at = Date.now();
    const { memo, searchAttributes, runId, raw } = await this.probe.handle.describe();
    const isThis = (raw.workflowExecutionInfo?.firstRunId || runId) === this.uid;
    if (isThis) this.samples.push(claimsOf({ at, tookMs: Date.now() - at }, memo ?? {}, searchAttributes));
  }
}

const MUTATING = new Set(['create', 'start', 'restart', 'stop', 'kill', 'pause', 'unpause', 'rename', 'update', 'destroy']);

/** Looks again and again until there is an answer. `expect.poll` is not for tests that run at once. */
export async function eventually<T>(what: string | (() => string), look: () => Promise<T | undefined>, withinMs = PATIENCE_MS): Promise<T> {
  for (const until = Date.now() + withinMs; ; await pause(50)) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > until) throw new Error(`did not happen within ${withinMs / 1000} s: ${typeof what === 'string' ? what : what()}`);
  }
}

export const pause = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));
