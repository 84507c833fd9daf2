import { randomUUID } from 'node:crypto';
import Docker from 'dockerode';
import { createDockerRuntime, type DockerRuntimeOptions } from '../../activities/runtimes/docker/index.ts';
import { type NodePolicy, strictPolicy } from '../../activities/runtimes/policy.ts';
import type { LogChunk, Runtime } from '../../activities/runtimes/runtime.ts';
import type { InstanceOwner, InstanceRevision } from '../../definitions/core/instance.ts';
import type { Template } from '../../definitions/core/template.ts';
import { EngineClient } from '../support/docker/engine-client.ts';
import { dockerSocket } from '../support/docker/host.ts';

export const IMAGE = 'colony-test:v1';
export const NODE = 'test-node';
/** Ends at once. */
export const AT_ONCE = { signal: 'SIGTERM', graceSeconds: 0 };

/** The engine that tests have to themselves; without one they fail. */
export const engineSocket: string = required(dockerSocket);
export const engine = new EngineClient(engineSocket);

function required(socket: string | undefined): string {
  if (socket === undefined) throw new Error('there is no Docker engine for the tests, and these prove nothing without one');
  return socket;
}

/** One installation on the engine: its containers are found by its cluster. */
export class Installation {
  readonly cluster = `test-${randomUUID()}`;
  readonly #strangers: string[] = [];

  runtime(policy: Partial<NodePolicy> = {}, more: Partial<DockerRuntimeOptions> = {}): Runtime {
    const docker = new Docker({ socketPath: engineSocket });
    return createDockerRuntime({ docker, node: NODE, cluster: this.cluster, policy: { ...strictPolicy, ...policy }, ...more });
  }

  /** A container that is none of ours. */
  async stranger(name: string | undefined, labels: Readonly<Record<string, string>> = {}): Promise<string> {
    const id = await engine.createStranger({ ...(name !== undefined && { name }), labels });
    this.#strangers.push(id);
    return id;
  }

  async clear(): Promise<void> {
    const left = await engine.list(`colony.cluster=${this.cluster}`);
    await Promise.all([...left.map(({ Id }) => Id), ...this.#strangers.splice(0)].map((id) => engine.remove(id)));
  }
}

export function newOwner(name = 'web'): InstanceOwner {
  const uid = randomUUID();
  return { uid, resource: `webservice/default/${name}`, name };
}

export function template(changes: Partial<Template> = {}): Template {
  return {
    runtime: 'docker',
    image: IMAGE,
    pullPolicy: 'IfNotPresent',
    entrypoint: [],
    command: [],
    env: {},
    mounts: [],
    ports: [],
    limits: { memoryBytes: 32 * 1024 ** 2, pids: 32 },
    capabilities: [],
    privileged: false,
    labels: {},
    probes: {},
    stop: { signal: 'SIGTERM', graceSeconds: 5 },
    ...changes,
  };
}

export function revision(changes: Partial<Template> = {}, digest = 'd1d1d1d1e2e2'): InstanceRevision {
  return { digest, generation: 1, template: template(changes) };
}

/** A shell as the only process. */
export const shell = (script: string): Partial<Template> => ({ command: ['sh', '-c', script] });

export async function textOf(chunks: AsyncIterable<LogChunk>, stream?: LogChunk['stream']): Promise<string> {
  let text = '';
  for await (const chunk of chunks) if (stream === undefined || chunk.stream === stream) text += Buffer.from(chunk.data).toString();
  return text;
}

export const pause = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));

/** Looks again until it is so. */
export async function until<T>(look: () => Promise<T | undefined | false>, withinMs = 60_000): Promise<T> {
  for (const end = Date.now() + withinMs; ; await pause(20)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`not so after ${withinMs / 1000} s`);
  }
}
