import { describe, expect, it } from 'vitest';
import type { DelegatedWish, InstanceOwner } from '../../../definitions/core/instance.ts';
import type { Template } from '../../../definitions/core/template.ts';
import { plainTemplate } from '../../../test/support/plain-template.ts';
import { strictPolicy } from '../policy.ts';
import { checkTemplate } from './check-template.ts';
import { deploymentOf } from './manifest.ts';
import { deploymentName } from './names.ts';

const owner: InstanceOwner = { uid: '0190-uid', resource: 'executordeployments.compute.colonies.io/dev/ml', name: 'ml' };
const scope = { cluster: 'c1', node: 'n1' };
const delegated: DelegatedWish = {
  replicas: 3,
  strategy: { type: 'RollingUpdate', maxSurge: '25%', maxUnavailable: 0 },
  minReadySeconds: 5,
  progressDeadlineSeconds: 60,
  paused: false,
  restart: 'Always',
};

const template = (fields: Partial<Template> = {}): Template => ({
  ...plainTemplate,
  runtime: 'kubernetes',
  image: 'ml:v1',
  kubernetes: {},
  ...fields,
});

const made = (fields: Partial<Template> = {}, wish: Partial<DelegatedWish> = {}) => {
  const revision = { digest: 'd'.repeat(64), generation: 7, template: template(fields) };
  return deploymentOf({ scope, owner, revision, delegated: { ...delegated, ...wish }, namespace: 'ml' }, 4);
};

const podOf = (fields?: Partial<Template>) => made(fields).spec?.template;
const containerOf = (fields?: Partial<Template>) => podOf(fields)?.spec?.containers[0];

describe('the Deployment of a wish', () => {
  it('has a name of its own, is found by labels, and says whose it is', () => {
    const { metadata, spec } = made();
    const labels = { 'colony.io/cluster': 'c1', 'colony.io/node': 'n1', 'colony.io/uid': owner.uid };
    expect(metadata).toMatchObject({ name: deploymentName(owner), namespace: 'ml', labels });
    expect(metadata?.annotations).toEqual({ 'colony.io/resource': owner.resource, 'colony.io/name': 'ml' });
    expect(spec?.selector).toEqual({ matchLabels: labels });
    expect(spec?.template.metadata?.annotations).toMatchObject({ 'colony.io/digest': 'd'.repeat(64), 'colony.io/generation': '4' });
  });

  it('carries the strategy', () => {
    expect(made().spec).toMatchObject({
      replicas: 3,
      minReadySeconds: 5,
      progressDeadlineSeconds: 60,
      paused: false,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
    });
    expect(made({}, { strategy: { ...delegated.strategy, type: 'Recreate' } }).spec?.strategy).toEqual({ type: 'Recreate' });
  });

  it('scaling leaves the pods as they are', () => {
    expect(made({}, { replicas: 9, minReadySeconds: 1 }).spec?.template).toEqual(made().spec?.template);
  });

  it('gives pods no rights and no token', () => {
    expect(podOf()?.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
      terminationGracePeriodSeconds: 10,
    });
    expect(containerOf()?.securityContext).toEqual({
      privileged: false,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
    expect(containerOf({ user: '1000:100', capabilities: ['NET_ADMIN'] })?.securityContext).toMatchObject({
      runAsUser: 1000,
      runAsGroup: 100,
      capabilities: { drop: ['ALL'], add: ['NET_ADMIN'] },
    });
  });

  it('runs what the template says, to the letter', () => {
    const found = containerOf({ entrypoint: ['/bin/sh', '-c'], command: ['echo $(HOME) $$ $X'], env: { A: '$(B)' }, workingDir: '/w' });
    expect(found).toMatchObject({
      image: 'ml:v1',
      imagePullPolicy: 'IfNotPresent',
      command: ['/bin/sh', '-c'],
      args: ['echo $$(HOME) $$$ $X'],
      workingDir: '/w',
    });
    expect(found?.env?.[0]).toEqual({ name: 'A', value: '$$(B)' });
    expect(containerOf()).not.toHaveProperty('command');
    expect(containerOf()).not.toHaveProperty('args');
  });

  it('asks for what the document asks for: resources, GPUs, nodes, claims', () => {
    const tolerations = [{ key: 'gpu', operator: 'Equal', value: 'true', effect: 'NoSchedule' }] as const;
    const fields: Partial<Template> = {
      limits: { cpus: 8, memoryBytes: 1024 },
      kubernetes: { nodeSelector: { gpu: 'true' }, tolerations, requests: { cpus: 0.25, memoryBytes: 512 }, gpu: 2 },
      mounts: [
        { type: 'volume', source: 'data', target: '/data', readOnly: true },
        { type: 'memory', source: '', target: '/tmp', readOnly: false },
      ],
    };
    expect(podOf(fields)?.spec).toMatchObject({
      nodeSelector: { gpu: 'true' },
      tolerations,
      volumes: [{ name: 'volume-0', persistentVolumeClaim: { claimName: 'data' } }, { emptyDir: {} }],
    });
    expect(containerOf(fields)).toMatchObject({
      resources: {
        limits: { cpu: '8000m', memory: '1024', 'nvidia.com/gpu': '2' },
        requests: { cpu: '250m', memory: '512', 'nvidia.com/gpu': '2' },
      },
      volumeMounts: [
        { name: 'volume-0', mountPath: '/data', readOnly: true },
        { name: 'volume-1', mountPath: '/tmp', readOnly: false },
      ],
    });
  });

  it('leaves probes to the kubelet, but for task queues, which only colony can ask', () => {
    const timing = { initialDelaySeconds: 1, periodSeconds: 0.5, timeoutSeconds: 2, successThreshold: 3, failureThreshold: 4 };
    const probes: Template['probes'] = {
      startup: { check: { type: 'exec', command: ['true'] }, ...timing },
      liveness: { check: { type: 'http', port: 80, path: '/', scheme: 'https', headers: { A: 'b' } }, ...timing },
      readiness: { check: { type: 'taskQueue', queue: 'q' }, ...timing },
    };
    expect(containerOf({ probes })).toMatchObject({
      startupProbe: { exec: { command: ['true'] }, initialDelaySeconds: 1, periodSeconds: 1, timeoutSeconds: 2, successThreshold: 1 },
      livenessProbe: { httpGet: { port: 80, path: '/', scheme: 'HTTPS', httpHeaders: [{ name: 'A', value: 'b' }] } },
    });
    expect(containerOf({ probes })).not.toHaveProperty('readinessProbe');
    expect(JSON.parse(podOf({ probes })?.metadata?.annotations?.['colony.io/probes'] ?? '')).toEqual({ readiness: probes.readiness });
    expect(containerOf({ probes: { readiness: { check: { type: 'tcp', port: 9 }, ...timing } } })?.readinessProbe).toMatchObject({
      tcpSocket: { port: 9 },
      successThreshold: 3,
    });
  });

  it('keeps labels of people: as labels where they fit, else as annotations, never in place of ours', () => {
    const labels = { team: 'ml', 'colonies.io/restarted-at': '2026-01-01T00:00:00Z', 'colony.io/uid': 'mine' };
    const found = podOf({ labels })?.metadata;
    expect(found?.labels).toMatchObject({ team: 'ml', 'colony.io/uid': owner.uid });
    expect(found?.annotations).toMatchObject({ 'colonies.io/restarted-at': '2026-01-01T00:00:00Z' });
  });
});

describe('deploymentName', () => {
  it.each([
    { name: 'ml', expected: /^ml-[0-9a-f]{10}$/ },
    { name: 'A.b_c', expected: /^a-b-c-[0-9a-f]{10}$/ },
    { name: 'x'.repeat(200), expected: /^x{35}-[0-9a-f]{10}$/ },
    { name: '...', expected: /^x-[0-9a-f]{10}$/ },
  ])('$name fits', ({ name, expected }) => expect(deploymentName({ ...owner, name })).toMatch(expected));
});

describe('what is refused, because the node does not allow it or Kubernetes would leave it undone', () => {
  it.each([
    { name: 'no image', fields: { image: undefined }, says: 'spec.image is needed' },
    { name: 'privileges', fields: { privileged: true }, says: 'COLONY_ALLOW_PRIVILEGED' },
    { name: 'capabilities', fields: { capabilities: ['NET_ADMIN'] }, says: 'COLONY_CAPABILITIES' },
    { name: 'a network', fields: { network: 'n' }, says: 'spec.network' },
    { name: 'a host port', fields: { ports: [{ container: 80, host: 80, protocol: 'tcp' }] }, says: 'host port 80' },
    { name: 'a user by name', fields: { user: 'nobody' }, says: 'must be a number' },
    { name: 'a signal', fields: { stop: { signal: 'SIGINT', graceSeconds: 1 } }, says: 'killSignal' },
    {
      name: 'a host path',
      fields: { mounts: [{ type: 'path', source: '/etc', target: '/e', readOnly: true }] },
      says: 'COLONY_HOST_PATHS',
    },
    { name: 'a label', fields: { labels: { 'a b': 'c' } }, says: 'cannot be a label' },
    { name: 'namespaces of Kubernetes', fields: { kubernetes: { namespace: 'kube-system' } }, says: 'namespace' },
  ])('$name', ({ fields, says }) => {
    const given = template(fields as Partial<Template>);
    expect(() => checkTemplate(given, strictPolicy)).toThrowError(
      expect.objectContaining({ reason: 'Blocked', message: expect.stringContaining(says) }),
    );
  });

  it('a host path below an allowed folder is not', () => {
    const mounts = [{ type: 'path', source: '/data/x', target: '/x', readOnly: true }] as const;
    expect(() => checkTemplate(template({ mounts }), { ...strictPolicy, hostPaths: ['/data'] })).not.toThrow();
    expect(() => checkTemplate(template({ mounts }), { ...strictPolicy, hostPaths: ['/dat'] })).toThrow();
  });
});
