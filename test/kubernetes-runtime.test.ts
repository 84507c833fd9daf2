import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createKubernetesRuntime } from '../activities/runtimes/kubernetes/index.ts';
import { deploymentName } from '../activities/runtimes/kubernetes/names.ts';
import { strictPolicy } from '../activities/runtimes/policy.ts';
import type { LogChunk, Runtime } from '../activities/runtimes/runtime.ts';
import type { DelegatedWish, InstanceOwner, InstanceWish } from '../definitions/core/instance.ts';
import type { Template } from '../definitions/core/template.ts';
import { KubernetesDouble } from './support/kubernetes-double.ts';

// Runtime kubernetes against a double of a cluster (see its header); `npm run test:kubernetes` runs it against real parts.

const owner: InstanceOwner = { uid: '0190a0aa-0000-7000-8000-000000000001', resource: 'executordeployments.x/dev/ml', name: 'ml' };
const never = new AbortController().signal;

const template: Template = {
  runtime: 'kubernetes',
  image: 'busybox:1.36',
  pullPolicy: 'IfNotPresent',
  entrypoint: [],
  command: ['sleep', '60'],
  env: {},
  mounts: [],
  ports: [],
  limits: {},
  capabilities: [],
  privileged: false,
  labels: {},
  probes: {},
  stop: { signal: 'SIGTERM', graceSeconds: 1 },
  kubernetes: {},
};

interface Fields {
  readonly template?: Partial<Template>;
  readonly digest?: string;
  readonly generation?: number;
  readonly delegated?: Partial<DelegatedWish>;
  readonly remove?: InstanceWish['remove'];
}

const wish = ({ template: fields, digest = 'd1', generation = 1, delegated, remove = [] }: Fields = {}): InstanceWish => ({
  runtime: 'kubernetes',
  node: 'n1',
  revisions: [{ digest, generation, slots: [], template: { ...template, ...fields } }],
  resting: [],
  restart: [],
  remove,
  stop: template.stop,
  waitReadyMs: 2_000,
  delegated: {
    replicas: 2,
    strategy: { type: 'RollingUpdate', maxSurge: 1, maxUnavailable: 0 },
    minReadySeconds: 0,
    progressDeadlineSeconds: 600,
    paused: false,
    restart: 'Always',
    ...delegated,
  },
});

let cluster: KubernetesDouble;
let folder: string;
let runtime: Runtime;

beforeEach(async () => {
  cluster = await KubernetesDouble.start();
  folder = mkdtempSync(join(tmpdir(), 'colony-kubernetes-'));
  writeFileSync(join(folder, 'config'), cluster.kubeconfig);
  runtime = runtimeOf('n1');
});

afterEach(async () => {
  await cluster.end();
  rmSync(folder, { recursive: true, force: true });
});

const runtimeOf = (node: string, kubeConfig = join(folder, 'config')) =>
  createKubernetesRuntime({ kubeConfig, node, cluster: 'c1', policy: strictPolicy, pings: { everyMs: 200, timeoutMs: 300 } });

const converge = async (fields?: Fields) => await runtime.converge?.(owner, wish(fields), never);
const writes = () => cluster.calls.filter((call) => !call.startsWith('GET'));
const deployment = () => cluster.deployments.get(`default/${deploymentName(owner)}`);

describe('converge', () => {
  it('makes one Deployment, and its pods are the instances', async () => {
    expect(await converge()).toEqual([]);
    expect(deployment()?.spec).toMatchObject({ replicas: 2, template: { spec: { containers: [{ image: 'busybox:1.36' }] } } });
    const seen = await runtime.list(owner.uid);
    expect(seen.map(({ slot, digest, ready, owner: whose }) => ({ slot, digest, ready, whose }))).toEqual([
      { slot: 0, digest: 'd1', ready: true, whose: owner },
      { slot: 1, digest: 'd1', ready: true, whose: owner },
    ]);
  });

  it('changes nothing when it is said again', async () => {
    await converge();
    const before = await runtime.list();
    await converge({ generation: 2 });
    expect(await runtime.list()).toEqual(before);
    expect(cluster.deployments.size).toBe(1);
  });

  it('scaling keeps the pods that are there, another revision replaces them', async () => {
    await converge();
    const before = (await runtime.list()).map(({ id }) => id);
    await converge({ generation: 2, delegated: { replicas: 4 } });
    const grown = (await runtime.list()).map(({ id }) => id);
    expect(grown).toHaveLength(4);
    expect(grown).toEqual(expect.arrayContaining(before));
    await converge({ digest: 'd2', generation: 3, template: { image: 'busybox:1.37' }, delegated: { replicas: 4 } });
    const after = await runtime.list();
    expect(after.map(({ digest }) => digest)).toEqual(['d2', 'd2', 'd2', 'd2']);
    expect(after.every(({ generation }) => generation === 3)).toBe(true);
  });

  it('goes to the namespace that is named, and leaves the one before', async () => {
    await converge();
    await converge({ template: { kubernetes: { namespace: 'ml' } } });
    await vi.waitFor(() => expect([...cluster.deployments.keys()]).toEqual([`ml/${deploymentName(owner)}`]));
  });

  it('never touches a Deployment of somebody else, whatever its name', async () => {
    const name = deploymentName(owner);
    const theirs = { metadata: { name, namespace: 'default', uid: 'theirs', labels: { app: 'x' } } };
    cluster.deployments.set(`default/${name}`, theirs);
    expect(await converge()).toEqual([{ reason: 'Blocked', message: expect.stringContaining('is not ours') }]);
    await converge({ remove: 'all' });
    expect(cluster.deployments.get(`default/${name}`)).toBe(theirs);
    expect(writes()).toEqual([]);
  });

  it('keeps installations and nodes apart', async () => {
    await converge();
    expect(await runtimeOf('n2').list()).toEqual([]);
    await runtimeOf('n2').converge?.(owner, wish({ remove: 'all' }), never);
    expect(cluster.deployments.size).toBe(1);
  });

  it.each([
    { name: 'no image', fields: { template: { image: undefined } }, says: 'spec.image is needed' },
    { name: 'no such namespace', fields: { template: { kubernetes: { namespace: 'nowhere' } } }, says: 'namespace nowhere is not there' },
    { name: 'a restart policy', fields: { delegated: { restart: 'Never' } }, says: 'restart policy Never' },
  ])('says what is in the way: $name', async ({ fields, says }) => {
    expect(await converge(fields as Fields)).toEqual([{ reason: 'Blocked', message: expect.stringContaining(says) }]);
  });

  it('says why the cluster lets no pods be made', async () => {
    await converge();
    const conditions = [{ type: 'ReplicaFailure', status: 'True', message: 'pods "x" is forbidden: exceeded quota: small' }];
    const found = deployment();
    if (found) Object.defineProperty(found, 'status', { get: () => ({ observedGeneration: 1, conditions }) });
    const apply = vi.spyOn(cluster as unknown as { apply: () => unknown }, 'apply').mockImplementation(() => found);
    expect(await converge({ delegated: { replicas: 3 } })).toEqual([
      { reason: 'Blocked', message: expect.stringContaining('exceeded quota: small') },
    ]);
    apply.mockRestore();
  });

  it('does not wait for a pod that cannot be started, and tells why', async () => {
    cluster.startsPods = false;
    const done = converge({ delegated: { replicas: 1 } });
    await vi.waitFor(() => expect(cluster.pods.size).toBe(1));
    const name = [...cluster.pods.values()][0]?.metadata?.name ?? '';
    const waiting = { reason: 'ErrImagePull', message: 'not found' };
    cluster.setStatus(name, {
      phase: 'Pending',
      containerStatuses: [{ name: 'main', image: '', imageID: '', ready: false, restartCount: 0, state: { waiting } }],
    });
    expect(await done).toEqual([]);
    expect(await runtime.list()).toMatchObject([{ state: 'created', ready: false, stuck: { reason: 'ImageMissing' } }]);
  });

  it('is not confused by answers that got lost', async () => {
    cluster.losesAnswersTo = 'PATCH';
    await expect(converge()).rejects.toMatchObject({ name: 'Unreachable' });
    await expect(converge()).rejects.toMatchObject({ name: 'Unreachable' });
    const made = (await runtime.list()).map(({ id }) => id);
    cluster.losesAnswersTo = undefined;
    expect(await converge()).toEqual([]);
    expect(cluster.deployments.size).toBe(1);
    expect((await runtime.list()).map(({ id }) => id)).toEqual(made);
    cluster.losesAnswersTo = 'DELETE';
    await expect(converge({ remove: 'all' })).rejects.toMatchObject({ name: 'Unreachable' });
    await converge({ remove: 'all' });
    expect([cluster.deployments.size, cluster.pods.size]).toEqual([0, 0]);
  });

  it('ends what it has begun when nobody wants it any more', async () => {
    cluster.startsPods = false;
    const ending = new AbortController();
    const done = runtime.converge?.(owner, { ...wish(), waitReadyMs: 60_000 }, ending.signal);
    await vi.waitFor(() => expect(cluster.pods.size).toBe(2));
    ending.abort();
    expect(await done).toEqual([]);
  });

  it('remove all comes back when the Deployment and its pods are gone', async () => {
    await converge();
    cluster.endsAfterMs = 700;
    await converge({ remove: 'all' });
    expect([cluster.deployments.size, cluster.pods.size]).toEqual([0, 0]);
    await converge({ remove: 'all' });
  });

  it('remove of an orphan takes all that its owner has: one pod alone would come back', async () => {
    await converge();
    const [first] = await runtime.list();
    await runtime.remove('another', first?.id ?? '', template.stop);
    expect(cluster.deployments.size).toBe(1);
    await runtime.remove(owner.uid, first?.id ?? '', template.stop);
    expect(cluster.deployments.size).toBe(0);
  });
});

describe('what cannot be known is said so', () => {
  it.each([
    { name: 'it is in trouble', code: 503 },
    { name: 'it does not know us any more', code: 401 },
    { name: 'it does not let us look', code: 403 },
  ])('$name ($code)', async ({ code }) => {
    cluster.failure = { code, message: 'no' };
    await expect(runtime.list()).rejects.toMatchObject({ name: 'Unreachable' });
    if (code === 403) expect(await converge()).toMatchObject([{ reason: 'Blocked' }]);
    else await expect(converge()).rejects.toMatchObject({ name: 'Unreachable' });
  });

  it('there is nobody, or no kubeconfig; and it is found when it comes', async () => {
    const path = join(folder, 'later');
    const other = runtimeOf('n1', path);
    await expect(other.list()).rejects.toMatchObject({ name: 'Unreachable' });
    writeFileSync(path, cluster.kubeconfig);
    expect(await other.list()).toEqual([]);
    await cluster.end();
    await expect(other.list()).rejects.toMatchObject({ name: 'Unreachable' });
  });
});

describe('watch', () => {
  it('tells whose pods changed, goes on after the cluster ended the stream, and looks again after a gap', async () => {
    const [onReady, onChange] = [vi.fn(), vi.fn()];
    const ending = new AbortController();
    const watching = runtime.watch(onReady, onChange, ending.signal);
    await vi.waitFor(() => expect(onReady).toHaveBeenCalledTimes(1));
    await converge();
    await vi.waitFor(() => expect(onChange).toHaveBeenCalledWith(owner));
    await converge({ delegated: { replicas: 3 } });
    cluster.forget();
    await vi.waitFor(() => expect(onReady).toHaveBeenCalledTimes(2), 5_000);
    onChange.mockClear();
    await converge({ remove: 'all' });
    await vi.waitFor(() => expect(onChange).toHaveBeenCalledWith(owner));
    ending.abort();
    await watching;
  });

  it('throws when the cluster can no longer be asked', async () => {
    const onReady = vi.fn();
    const watching = runtime.watch(onReady, () => {}, never);
    const ended = expect(watching).rejects.toMatchObject({ name: 'Unreachable' });
    await vi.waitFor(() => expect(onReady).toHaveBeenCalled());
    cluster.failure = { code: 500, message: 'etcd is gone' };
    await ended;
  });
});

it('a cluster that holds its connections and says nothing more is found out', async () => {
  const onReady = vi.fn();
  const watching = runtime.watch(onReady, () => {}, never);
  const ended = expect(watching).rejects.toMatchObject({ name: 'Unreachable' });
  await vi.waitFor(() => expect(onReady).toHaveBeenCalled());
  cluster.isFrozen = true;
  await ended;
});

describe('looking into a pod', () => {
  const read = async (chunks: AsyncIterable<LogChunk>): Promise<string> => {
    let text = '';
    for await (const { stream, data } of chunks) text += `${stream}: ${Buffer.from(data).toString('utf8')}`;
    return text;
  };

  it('reads its logs', async () => {
    await converge({ delegated: { replicas: 1 } });
    const [one] = await runtime.list();
    const options = { follow: false, tail: 5, previous: false, timestamps: false, signal: never };
    expect(await read(runtime.logs(one?.id ?? '', options))).toBe(`stdout: hello from ${one?.name}, tail 5\n`);
    await expect(read(runtime.logs('stranger', options))).rejects.toThrow('no such instance');
  });

  it('runs a command in it', async () => {
    await converge({ delegated: { replicas: 1 } });
    const [one] = await runtime.list();
    const session = await runtime.exec(one?.id ?? '', { command: ['exit', '3'], tty: false, stdin: false });
    expect(await session.exitCode).toBe(3);
    expect(await read(session.output)).toBe('stdout: ran exit 3\nstderr: and complained\n');
  });

  it('gives it input until the end of it, and a terminal its size', async () => {
    await converge({ delegated: { replicas: 1 } });
    const [one] = await runtime.list();
    const session = await runtime.exec(one?.id ?? '', { command: ['cat'], tty: true, stdin: true });
    await session.resize(40, 100);
    session.write(Buffer.from('hello'));
    await new Promise((wake) => setTimeout(wake, 50));
    session.endInput();
    expect(await session.exitCode).toBe(0);
    const text = await read(session.output);
    expect(text).toContain('hello');
    expect(text).toContain('"height":40,"width":100');
  });

  it('measures it', async () => {
    await converge({ delegated: { replicas: 1 } });
    const [one] = await runtime.list();
    expect(await runtime.stats([one?.id ?? '', 'stranger'])).toEqual([{ id: one?.id, cpus: 0.25, memoryBytes: 64 * 1024 ** 2 }]);
  });
});
