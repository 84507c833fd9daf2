import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkWith } from '../core/issues/index.ts';
import type { JsonObject } from '../core/resource.ts';
import { replicatedOf } from './replicated.ts';
import { type ExecutorDeploymentSpec, executorDeploymentSpec } from './schema.ts';

const seeds = new URL('../../test/fixtures/seeds/instances/', import.meta.url);
const seed = (file: string) => (JSON.parse(readFileSync(new URL(file, seeds), 'utf8')) as { spec: JsonObject }).spec;

function accepted(spec: unknown): ExecutorDeploymentSpec {
  const checked = checkWith(executorDeploymentSpec, spec, 'spec');
  if ('issues' in checked) throw new Error(JSON.stringify(checked.issues, undefined, 1));
  return checked.value;
}

function refused(spec: unknown): Record<string, string> {
  const checked = checkWith(executorDeploymentSpec, spec, 'spec');
  return 'issues' in checked ? Object.fromEntries(checked.issues.map(({ path, message }) => [path, message])) : {};
}

const normal = (spec: unknown, namespace = 'dev') => replicatedOf(accepted(spec), { namespace });
const template = (spec: unknown) => normal(spec).template;

const docker = { image: 'busybox:1.36' };

describe('the documents', () => {
  it('ml-training-executors on docker becomes containers with its environment and its folder', () => {
    expect(normal(seed('ml-training-executors.docker.json'))).toMatchObject({
      replicas: 3,
      nodes: [],
      paused: false,
      strategy: { type: 'RollingUpdate', maxSurge: '25%', maxUnavailable: '25%' },
      restart: { policy: 'Always' },
      template: {
        runtime: 'docker',
        image: 'colonyos/ml-executor:latest',
        env: {
          BATCH_SIZE: '32',
          COLONIES_COLONY_NAME: 'dev',
          COLONIES_EXECUTOR_TYPE: 'ml-executor',
          MODEL_CACHE_DIR: '/models',
        },
        mounts: [{ type: 'path', source: '/data/models', target: '/models', readOnly: false }],
        stop: { signal: 'SIGTERM', graceSeconds: 10 },
      },
    });
  });

  it('edge-iot-executors becomes ten containers with ports, limits, a network and labels', () => {
    expect(normal(seed('edge-iot-executors.json'), 'iot-colony')).toMatchObject({
      replicas: 10,
      template: {
        image: 'colonyos/edge-executor:v1',
        env: { COLONIES_COLONY_NAME: 'iot-colony', COLONIES_EXECUTOR_TYPE: 'edge-executor', MODE: 'edge' },
        network: 'iot',
        ports: [{ container: 80, host: 8080, protocol: 'tcp' }],
        mounts: [{ type: 'path', source: '/dev/sensors', target: '/sensors', readOnly: true }],
        limits: { cpus: 0.5, memoryBytes: 256 * 1024 ** 2 },
        labels: { colony: 'iot', type: 'edge' },
      },
    });
  });

  it('a local executor without a command is a placeholder, as the README of its example says', () => {
    expect(template({ runtime: 'local', replicas: 2, executorType: 'test-executor' }).command).toEqual(['sleep', 'infinity']);
    expect(template({ runtime: 'local', command: [], args: ['date'] }).command).toEqual(['date']);
  });

  it('ml-training-executors on kubernetes keeps its limits and the claim it mounts', () => {
    expect(normal(seed('ml-training-executors.kubernetes.json'), 'ml-colony')).toMatchObject({
      replicas: 5,
      template: {
        runtime: 'kubernetes',
        image: 'colonyos/ml:v1',
        pullPolicy: 'IfNotPresent',
        limits: { cpus: 8, memoryBytes: 32 * 1024 ** 3 },
        mounts: [{ type: 'volume', source: 'data', target: '/data', readOnly: false }],
        kubernetes: {
          namespace: 'ml',
          nodeSelector: { gpu: 'true' },
          tolerations: [{ key: 'gpu', operator: 'Equal', value: 'true', effect: 'NoSchedule' }],
          requests: { cpus: 4, memoryBytes: 16 * 1024 ** 3 },
          gpu: 1,
        },
      },
    });
  });

  it('kubernetes may be told without an image, as in the README, and other runtimes hear nothing of clusters', () => {
    expect(template({ runtime: 'kubernetes', executorType: 'x' })).toMatchObject({ kubernetes: {} });
    expect(template(docker)).not.toHaveProperty('kubernetes');
  });

  it.each([
    { name: 'the runtimes of the second variant', spec: { runtime: 'hpc', template: { type: 'slurm' } } },
    {
      name: 'the flat fields of the third variant, without a runtime',
      spec: {
        ...docker,
        executorType: 'x',
        cpu: '500m',
        memory: '512Mi',
        env: { A: 1, B: true },
        ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
        executorName: 'one',
        executorNames: ['one', 'two'],
      },
    },
    { name: 'the docker snippet', spec: { runtime: 'docker', replicas: 3, image: 'colonyos/ml-executor:latest' } },
  ])('accepts $name, and what it stores again', ({ spec }) => {
    const stored = accepted(spec);
    expect(stored).toMatchObject(spec);
    expect(accepted(stored)).toEqual(stored);
  });
});

describe('replicatedOf', () => {
  it('lets fields of the spec win over those of its config, and merges environments', () => {
    const config = {
      env: [
        { name: 'A', value: 'config' },
        { name: 'B', value: 1 },
      ],
      ports: [{ containerPort: 1 }],
      resources: { cpus: 2, memory: '1Gi' },
    };
    expect(template({ ...docker, env: { A: 'spec' }, ports: [{ port: 2 }], cpu: '500m', config })).toMatchObject({
      env: { A: 'spec', B: '1' },
      ports: [{ container: 2, protocol: 'tcp' }],
      limits: { cpus: 0.5, memoryBytes: 1024 ** 3 },
    });
  });

  it('lets an environment that people write win over what executors are told', () => {
    expect(template({ ...docker, executorType: 'a', executorName: 'n', env: { COLONIES_EXECUTOR_TYPE: 'b' } }).env).toEqual({
      COLONIES_COLONY_NAME: 'dev',
      COLONIES_EXECUTOR_NAME: 'n',
      COLONIES_EXECUTOR_TYPE: 'b',
    });
  });

  it('reads volumes in every spelling', () => {
    const volumes = [
      { source: 'cache', target: '/cache' },
      { host: '/srv//data/', container: '/srv', readOnly: true },
      { name: 'claim', source: { persistentVolumeClaim: { claimName: 'c' } } },
      { name: 'folder', hostPath: { path: '/etc/x' } },
      { name: 'scratch', emptyDir: {} },
    ];
    const volumeMounts = [
      { name: 'claim', mountPath: '/claim' },
      { name: 'folder', mountPath: '/folder', readOnly: true },
      { name: 'scratch', mountPath: '/tmp/' },
    ];
    expect(template({ ...docker, config: { volumes, volumeMounts } }).mounts).toEqual([
      { type: 'volume', source: 'cache', target: '/cache', readOnly: false },
      { type: 'volume', source: 'c', target: '/claim', readOnly: false },
      { type: 'path', source: '/etc/x', target: '/folder', readOnly: true },
      { type: 'path', source: '/srv/data', target: '/srv', readOnly: true },
      { type: 'memory', source: '', target: '/tmp', readOnly: false },
    ]);
  });

  it('reads probes, and ports that they call by name', () => {
    const spec = {
      ...docker,
      ports: [{ name: 'http', port: 8080 }],
      startupProbe: { exec: { command: ['true'] }, failureThreshold: 30 },
      readinessProbe: { httpGet: { port: 'http', httpHeaders: [{ name: 'Host', value: 'x' }] } },
      livenessProbe: { taskQueue: { name: 'jobs' }, periodSeconds: 30 },
    };
    const defaults = { initialDelaySeconds: 0, periodSeconds: 5, timeoutSeconds: 2, successThreshold: 1, failureThreshold: 3 };
    expect(template(spec).probes).toEqual({
      startup: { check: { type: 'exec', command: ['true'] }, ...defaults, failureThreshold: 30 },
      readiness: { check: { type: 'http', port: 8080, path: '/', scheme: 'http', headers: { Host: 'x' } }, ...defaults },
      liveness: { check: { type: 'taskQueue', queue: 'jobs' }, ...defaults, periodSeconds: 30 },
    });
  });

  it.each([
    { order: undefined, expected: { maxSurge: '25%', maxUnavailable: '25%' } },
    { order: 'start-first', expected: { maxSurge: 1, maxUnavailable: 0 } },
    { order: 'stop-first', expected: { maxSurge: 0, maxUnavailable: 1 } },
  ])('reads order $order as how far a rollout may stray', ({ order, expected }) => {
    expect(normal({ ...docker, strategy: { ...(order ? { order } : {}), onFailure: 'Rollback' } }).strategy).toMatchObject({
      ...expected,
      type: 'RollingUpdate',
      onFailure: 'Rollback',
    });
  });

  it.each([
    { spec: { config: { restartPolicy: 'unless-stopped' } }, restart: { policy: 'Always', firstSeconds: 1, maxSeconds: 300 } },
    { spec: { restartPolicy: 'on-failure' }, restart: { policy: 'OnFailure' } },
    { spec: { restartPolicy: 'no', config: { restartPolicy: 'always' } }, restart: { policy: 'Never' } },
    {
      spec: { restart: { backoff: { initial: '2s', max: '1m' }, resetAfter: 60 } },
      restart: { firstSeconds: 2, maxSeconds: 60, resetSeconds: 60 },
    },
    { spec: { restart: { backoff: { initial: '10m' } } }, restart: { firstSeconds: 600, maxSeconds: 600 } },
  ])('reads how to restart: $spec', ({ spec, restart }) => expect(normal({ ...docker, ...spec }).restart).toMatchObject(restart));

  it('gives processes no image and joins command and args', () => {
    const local = template({ runtime: 'local', image: 'x', command: ['sleep'], args: ['60'], volumes: [], privileged: false });
    expect(local).toMatchObject({ runtime: 'local', command: ['sleep', '60'], mounts: [], privileged: false });
    expect(local).not.toHaveProperty('image');
  });

  it('reads users and capabilities in one spelling', () => {
    expect(template({ ...docker, user: 1000, capabilities: ['CAP_CHOWN'] })).toMatchObject({ user: '1000', capabilities: ['CHOWN'] });
  });

  it('makes another template when somebody wants all instances new', () => {
    expect(template({ ...docker, restartedAt: '2026-01-01T00:00:00Z' })).not.toEqual(template(docker));
  });
});

describe('the usual mistakes are told with their path', () => {
  it.each([
    { name: 'no image', spec: {}, issues: { 'spec.image': 'is required when runtime is docker' } },
    {
      name: 'two images',
      spec: { ...docker, config: { image: 'other' } },
      issues: { 'spec.config.image': 'must be the same as spec.image, busybox:1.36, or left out (got "other")' },
    },
    {
      name: 'a name that no image can have',
      spec: { image: 'Busy:Box:x:@', config: { image: 'Busy:Box:x:@' } },
      issues: Object.fromEntries(
        ['spec.image', 'spec.config.image'].map((path) => [path, expect.stringContaining('must be an image such as')]),
      ),
    },
    { name: 'replicas as text', spec: { ...docker, replicas: '3' }, issues: { 'spec.replicas': 'must be an integer (got "3")' } },
    { name: 'fewer than none', spec: { ...docker, replicas: -1 }, issues: { 'spec.replicas': 'must be ≥ 0 (got -1)' } },
    {
      name: 'a runtime of nobody',
      spec: { runtime: 'vm' },
      issues: { 'spec.runtime': 'must be one of docker, local, kubernetes, hpc, lambda, custom (got "vm")' },
    },
    {
      name: 'an unknown field',
      spec: { ...docker, config: { imag: 'x' } },
      issues: { 'spec.config.imag': expect.stringContaining('unknown field') },
    },
    {
      name: 'a command as text',
      spec: { ...docker, command: 'sleep 60' },
      issues: { 'spec.command': 'must be a list of words such as ["sleep", "60"] (got "sleep 60")' },
    },
    {
      name: 'memory without a unit',
      spec: { ...docker, memory: 512 },
      issues: { 'spec.memory': 'must be at least 6Mi (got 512: without a unit it is bytes)' },
    },
    {
      name: 'more wanted than allowed',
      spec: { ...docker, resources: { requests: { cpu: 2 }, limits: { cpu: '500m' } } },
      issues: { 'spec.resources.requests.cpu': 'must not be more than limits.cpu, 500m (got 2)' },
    },
    {
      name: 'a relative target',
      spec: { ...docker, config: { volumes: [{ source: '/a', target: 'b' }] } },
      issues: { 'spec.config.volumes[0].target': 'must be an absolute path such as /data (got "b")' },
    },
    {
      name: 'a relative source',
      spec: { ...docker, volumes: [{ source: './a', target: '/b' }] },
      issues: { 'spec.volumes[0].source': 'must be an absolute path such as /data or the name of a volume such as data (got "./a")' },
    },
    {
      name: 'a source that climbs',
      spec: { ...docker, volumes: [{ source: '/a/../etc', target: '/b' }] },
      issues: { 'spec.volumes[0].source': 'must not contain ".." (got "/a/../etc")' },
    },
    {
      name: 'two things at one place',
      spec: {
        ...docker,
        volumes: [
          { source: 'a', target: '/b' },
          { source: 'c', target: '/b/' },
        ],
      },
      issues: { 'spec.volumes[1].target': 'is there twice ("/b")' },
    },
    {
      name: 'a mount of no volume',
      spec: { ...docker, config: { volumes: [{ name: 'a', source: 'a' }], volumeMounts: [{ name: 'b', mountPath: '/b' }] } },
      issues: { 'spec.config.volumeMounts[0].name': 'must be one of a (got "b")' },
    },
    {
      name: 'a port twice',
      spec: { ...docker, ports: [{ port: 80 }, { port: 80 }] },
      issues: { 'spec.ports[1].port': 'is there twice ("80/tcp")' },
    },
    {
      name: 'a port of the node twice',
      spec: {
        ...docker,
        ports: [
          { port: 80, hostPort: 1 },
          { port: 81, hostPort: 1 },
        ],
      },
      issues: { 'spec.ports[1].hostPort': 'is there twice ("1/tcp")' },
    },
    {
      name: 'a variable twice',
      spec: {
        ...docker,
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      },
      issues: { 'spec.env[1].name': 'is there twice ("A")' },
    },
    {
      name: 'a strategy that can replace nothing',
      spec: { ...docker, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } } },
      issues: { 'spec.strategy.rollingUpdate': 'maxSurge and maxUnavailable must not both be 0: nothing could ever be replaced' },
    },
    {
      name: 'a share that is none',
      spec: { ...docker, strategy: { rollingUpdate: { maxUnavailable: '150%' } } },
      issues: { 'spec.strategy.rollingUpdate.maxUnavailable': 'must be a number or a share from "0%" to "100%" (got "150%")' },
    },
    {
      name: 'a negative wait',
      spec: { ...docker, strategy: { minReadySeconds: -1 } },
      issues: { 'spec.strategy.minReadySeconds': 'must be ≥ 0 (got -1)' },
    },
    {
      name: 'a rolling detail of Recreate',
      spec: { ...docker, strategy: { type: 'Recreate', rollingUpdate: {} } },
      issues: { 'spec.strategy.rollingUpdate': 'is only for type RollingUpdate' },
    },
    {
      name: 'start-first that may be short',
      spec: { ...docker, strategy: { order: 'start-first', rollingUpdate: { maxUnavailable: 1 } } },
      issues: { 'spec.strategy.rollingUpdate.maxUnavailable': 'must be 0 when order is start-first' },
    },
    {
      name: 'a probe without a check',
      spec: { ...docker, readinessProbe: { periodSeconds: 1 } },
      issues: { 'spec.readinessProbe': 'must have exactly one of exec, httpGet, tcpSocket, taskQueue (it has none)' },
    },
    {
      name: 'a probe of a port without a name',
      spec: { ...docker, readinessProbe: { tcpSocket: { port: 'http' } } },
      issues: { 'spec.readinessProbe.tcpSocket.port': 'must be a number: no TCP port has a name (got "http")' },
    },
    {
      name: 'a restart that is told twice',
      spec: { ...docker, restartPolicy: 'no', restart: { policy: 'Always' } },
      issues: { 'spec.restartPolicy': 'must be the same as restart.policy, Always, or left out (got no)' },
    },
    {
      name: 'what only kubernetes has',
      spec: { ...docker, config: { nodeSelector: { a: 'b' }, resources: { limits: { gpu: 1 } } } },
      issues: {
        'spec.config.nodeSelector': 'is only for runtime kubernetes (runtime is docker)',
        'spec.config.resources.limits.gpu': 'is only for runtime kubernetes (runtime is docker)',
      },
    },
    {
      name: 'what a process cannot have',
      spec: {
        runtime: 'local',
        command: ['true'],
        volumes: [{ source: '/a', target: '/b' }],
        network: 'n1',
        user: 1000,
        privileged: true,
        capabilities: ['CHOWN'],
        env: { 'A.B': '1' },
      },
      issues: {
        'spec.volumes': 'is not for runtime local: a process sees the files of the node',
        'spec.network': 'is not for runtime local: a process is in the network of the node',
        'spec.user': "is not for runtime local: a process runs as the agent's user",
        'spec.privileged': "is not for runtime local: a process has the rights of the agent's user",
        'spec.capabilities': "is not for runtime local: a process has the rights of the agent's user",
        'spec.env["A.B"]': 'must be letters, digits and _ when runtime is local: shells drop others (got "A.B")',
      },
    },
    {
      name: 'a process that shall run nothing',
      spec: { runtime: 'local', command: [] },
      issues: {
        'spec.command': 'must not be empty when runtime is local: say what to run, or leave it out for a process that only waits',
      },
    },
    {
      name: 'what a process cannot have, as ColonyOS writes it',
      spec: {
        runtime: 'local',
        config: { volumes: [{ source: '/a', target: '/b' }], network: 'n1', env: [{ name: 'OK' }, { name: '1A' }] },
      },
      issues: {
        'spec.config.volumes': 'is not for runtime local: a process sees the files of the node',
        'spec.config.network': 'is not for runtime local: a process is in the network of the node',
        'spec.config.env[1].name': 'must be letters, digits and _ when runtime is local: shells drop others (got "1A")',
      },
    },
    {
      name: "a label of colony's own",
      spec: { ...docker, config: { labels: { 'colony.uid': 'x' } } },
      issues: { 'spec.config.labels["colony.uid"]': expect.stringContaining('must not begin with "colony."') },
    },
    {
      name: 'no folder',
      spec: { ...docker, workingDir: 'x' },
      issues: { 'spec.workingDir': 'must be an absolute path such as /data (got "x")' },
    },
  ])('$name', ({ spec, issues }) => expect(refused(spec)).toEqual(issues));
});

describe('for every accepted spec', () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9]{0,6}$/);
  const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
  const record = <T extends Record<string, fc.Arbitrary<unknown>>>(fields: T) => fc.record(fields, { requiredKeys: [] });
  const probe = fc.oneof(
    fc.record({ exec: fc.record({ command: fc.array(word, { minLength: 1, maxLength: 3 }) }) }),
    fc.record({ httpGet: fc.record({ port: fc.integer({ min: 1, max: 65_535 }) }) }),
    fc.record({ taskQueue: fc.record({ name: word }) }),
  );
  const value = fc.oneof(word, fc.integer(), fc.boolean());
  const env = fc.oneof(
    fc.dictionary(word, value, { maxKeys: 5 }),
    fc.uniqueArray(fc.record({ name: word, value }), { selector: ({ name }) => name, maxLength: 5 }),
  );
  const ports = fc
    .uniqueArray(fc.integer({ min: 1, max: 65_535 }), { maxLength: 4 })
    .map((list) => list.map((containerPort) => ({ containerPort })));
  const volumes = fc.uniqueArray(word, { maxLength: 4 }).map((list) => list.map((name) => ({ source: name, target: `/${name}` })));
  const amount = fc.record({ cpus: fc.constantFrom('0.5', '250m', 2), memory: fc.constantFrom('64Mi', '1g', '1.5Gi') });
  /** Without what only containers can have. */
  const forProcesses = <T extends { config?: object }>({ config, ...spec }: T) => ({
    ...spec,
    volumes: [],
    user: undefined,
    ...(config ? { config: { ...config, volumes: [], network: undefined } } : {}),
  });
  const anySpec = record({
    runtime: fc.constantFrom('docker', 'local', 'kubernetes', 'hpc'),
    replicas: fc.integer({ min: 0, max: 1_000 }),
    executorType: word,
    template: fc.dictionary(
      word.filter((key) => key !== 'type'),
      fc.jsonValue({ maxDepth: 2 }),
      { maxKeys: 3 },
    ),
    cpu: fc.constantFrom('500m', 1),
    env,
    ports,
    volumes,
    readinessProbe: probe,
    livenessProbe: probe,
    strategy: record({ type: fc.constantFrom('RollingUpdate', 'Recreate'), minReadySeconds: fc.integer({ min: 0, max: 100 }) }),
    restartPolicy: fc.constantFrom('always', 'Never', 'on-failure'),
    user: fc.oneof(fc.nat(), word),
    config: record({ env, ports, volumes, resources: amount, labels: fc.dictionary(word, word), network: word }),
  })
    .map((spec) => (spec.runtime === 'local' ? forProcesses(spec) : spec))
    .map((spec) => ({ image: 'busybox:1.36', command: ['sleep', '60'], ...spec }));

  it('it says what to run, the same each time, in plain data', () => {
    fc.assert(
      fc.property(anySpec, (spec) => {
        const first = normal(spec);
        expect(normal(spec)).toEqual(first);
        expect(JSON.parse(JSON.stringify(first))).toEqual(first);
        expect(normal(accepted(spec))).toEqual(first);
      }),
    );
  });

  it('the order of fields makes no difference, down to the text', () => {
    const reversed = (given: unknown): unknown =>
      typeof given !== 'object' || given === null
        ? given
        : Array.isArray(given)
          ? given.map(reversed)
          : Object.fromEntries(
              Object.entries(given)
                .reverse()
                .map(([key, field]) => [key, reversed(field)]),
            );
    fc.assert(
      fc.property(anySpec, (spec) => {
        expect(JSON.stringify(normal(reversed(spec)))).toBe(JSON.stringify(normal(spec)));
      }),
    );
  });

  it('scaling, strategy, placement, pausing and descriptions leave the template as it is', () => {
    const others = record({
      replicas: fc.nat(1_000),
      strategy: fc.constant({ type: 'Recreate' }),
      placement: fc.constant({ nodes: ['a', 'b'] }),
      paused: fc.boolean(),
      restartPolicy: fc.constant('no'),
      template: fc.constant({ location: 'elsewhere' }),
    });
    fc.assert(
      fc.property(anySpec, others, (spec, change) => {
        expect(template({ ...spec, ...change })).toEqual(template(spec));
      }),
    );
  });

  it.each([
    { image: 'other' },
    { command: ['true'] },
    { env: { ANOTHER: 'one' } },
    { cpu: '750m' },
    { user: 'somebody-else' },
    { ports: [{ port: 4 }, { port: 5 }, { port: 6 }, { port: 7 }, { port: 8 }] },
    { readinessProbe: { tcpSocket: { port: 1 } } },
    { terminationGracePeriodSeconds: 11 },
  ])('a change to %j makes another template', (change) => {
    fc.assert(
      fc.property(anySpec, (spec) => {
        expect(template({ ...spec, runtime: 'docker', ...change })).not.toEqual(template({ ...spec, runtime: 'docker' }));
      }),
      { numRuns: 20 },
    );
  });

  it('unknown values are refused, never thrown at', () => {
    const fields = ['replicas', 'env', 'volumes', 'config', 'strategy', 'restart', 'readinessProbe', 'resources', 'ports'] as const;
    fc.assert(
      fc.property(fc.constantFrom(...fields), optional(fc.jsonValue({ maxDepth: 3 })), (field, given) => {
        expect(() => checkWith(executorDeploymentSpec, { ...docker, [field]: given }, 'spec')).not.toThrow();
      }),
      { numRuns: 300 },
    );
  });
});

it('can be explained: its schema is JSON Schema as well', () => {
  expect(z.toJSONSchema(executorDeploymentSpec, { io: 'input', unrepresentable: 'any' })).toHaveProperty(
    'properties.strategy.properties.onFailure',
  );
});
