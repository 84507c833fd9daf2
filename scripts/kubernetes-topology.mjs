// `npm run test:kubernetes`: ExecutorDeployments with runtime kubernetes against real parts of Kubernetes: etcd, kube-apiserver and
// kube-controller-manager, so that Deployments, ReplicaSets, garbage collection, rights and server-side apply are the real ones.
// There is no kubelet and no scheduler: this script stands in for them and writes the status of pods, nothing else.
// Needs Go (builds the parts once into colony's cache: ten minutes of one core, at the lowest priority) and etcd (taken from
// Debian's package, without installing it, if it is not there).
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const VERSION = '1.32.5';
const STAGING = VERSION.replace(/^1/, '0');
const PARTS = ['kube-apiserver', 'kube-controller-manager'];
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const {
  COLONY_CACHE,
  XDG_CACHE_HOME,
  TEMPORAL_ADDRESS: _address,
  KUBECONFIG: _config,
  COLONY_KUBECONFIG: _own,
  ...environment
} = process.env;
const cache = COLONY_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'colony');
const folder = mkdtempSync(join(tmpdir(), 'colony-kubernetes-'));
const home = join(folder, 'home');
const tokens = { admin: randomBytes(18).toString('hex'), colony: randomBytes(18).toString('hex') };
const children = [];
let kubelet;

try {
  mkdirSync(home);
  run(process.execPath, [join(root, 'scripts', 'build.mjs')]);
  const programs = { etcd: etcdProgram(), ...kubernetesParts() };
  const cluster = await startCluster(programs);
  kubelet = standInForKubelet(cluster);
  await exercise(cluster);
  say('all good');
} catch (error) {
  console.error(`kubernetes: FAILED: ${error.stack ?? error.message}\nkubernetes: logs are in ${folder}`);
  process.exitCode = 1;
} finally {
  kubelet?.end();
  for (const child of [...children].reverse()) await end(child);
  if (process.exitCode !== 1) rmSync(folder, { recursive: true, force: true });
}

/** What a person would do, and what a cluster does to them. */
async function exercise(cluster) {
  const { api } = cluster;
  const env = {
    COLONY_HOME: home,
    COLONY_NODE: 'n1',
    COLONY_TEMPORAL_PORT: String(await freePort()),
    COLONY_UI_PORT: String(await freePort()),
  };
  const colony = (args, input) =>
    execFileSync(process.execPath, [join(root, 'bin', 'colony.cjs'), ...args], {
      input,
      encoding: 'utf8',
      env: { ...environment, ...env },
    });
  const apply = (name, spec) => colony(['apply', '-f', '-'], JSON.stringify(manifest(name, spec)));
  const read = (name) => JSON.parse(colony(['get', `executordeployment/${name}`, '-o', 'json']));
  const ready = ({ status, metadata }) => {
    const found = status?.conditions?.find(({ type }) => type === 'Ready');
    return status?.observedGeneration === metadata.generation ? found : undefined;
  };
  const untilReady = (name, status, reason) =>
    until(`${name} Ready=${status} ${reason ?? ''}`, () => {
      const found = ready(read(name));
      return found?.status === status && (reason === undefined || found.reason === reason) ? found : undefined;
    });

  await api.apps.createNamespacedDeployment({ namespace: 'default', body: stranger('web') });
  const web = await api.apps.readNamespacedDeployment({ namespace: 'default', name: 'web' });

  const first = await startColony(env);
  apply('ml', { replicas: 2, image: 'example/ml:1' });
  const refused = await untilReady('ml', 'False', 'RuntimeUnavailable');
  if (!refused.message.includes('KUBECONFIG')) fail(`it does not say what to set: ${refused.message}`);
  say(`without a kubeconfig: ${refused.reason}, and what to set`);

  await end(first);
  await startColony({ ...env, KUBECONFIG: cluster.kubeconfig('colony') });
  await untilReady('ml', 'True');
  const { uid } = read('ml').metadata;
  const name = deploymentName('ml', uid);
  const pods = async () => (await api.core.listNamespacedPod({ namespace: 'default', labelSelector: `colony.io/uid=${uid}` })).items;
  const ids = async () => (await pods()).filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.uid);
  const two = await ids();
  if (two.length !== 2) fail(`2 pods were wished, ${two.length} are there`);
  say('with one, and with no more rights than its header names: 2 pods, Ready');

  colony(['scale', 'executordeployment/ml', '--replicas', '4']);
  await until('4 pods', async () => (await ids()).length === 4);
  await untilReady('ml', 'True');
  const four = await ids();
  if (!two.every((id) => four.includes(id))) fail('scaling replaced pods');
  say('scaled to 4; the first 2 pods were kept');

  apply('ml', { replicas: 4, image: 'example/ml:2' });
  await untilReady('ml', 'True');
  const images = (await pods()).filter(({ metadata }) => !metadata.deletionTimestamp).map(({ spec }) => spec.containers[0].image);
  if (images.join() !== Array(4).fill('example/ml:2').join()) fail(`pods run ${images.join(', ')}`);
  say('another image: all pods were replaced by the Deployment itself');

  kubelet.images.add('example/ml:3');
  apply('ml', { replicas: 4, image: 'example/ml:3' });
  const missing = await untilReady('ml', 'False', 'ImageMissing');
  if ((await ids()).length < 3) fail('a failed update took away what works');
  apply('ml', { replicas: 4, image: 'example/ml:2' });
  await untilReady('ml', 'True');
  say(`an image that is not there: ${missing.reason}; what worked was kept; the next good spec cured it`);

  await api.apps.deleteNamespacedDeployment({ namespace: 'default', name });
  await until('its pods to go', async () => (await ids()).every((id) => !four.includes(id)));
  await untilReady('ml', 'True');
  await until('the Deployment to come back', () => there(() => api.apps.readNamespacedDeployment({ namespace: 'default', name })));
  say('deleted by hand: it came back');

  const scaled = { name, namespace: 'default', body: [{ op: 'replace', path: '/spec/replicas', value: 1 }] };
  await api.apps.patchNamespacedDeployment(scaled);
  await until('one pod', async () => (await ids()).length === 1);
  colony(['reconcile', 'executordeployment/ml']);
  await until('4 pods again', async () => (await ids()).length === 4);
  await untilReady('ml', 'True');
  say('scaled by hand: brought back');

  await cluster.stopApi();
  await untilReady('ml', 'Unknown');
  await cluster.startApi();
  await untilReady('ml', 'True');
  say('the API server went away: Unknown; it came back: Ready');

  apply('twin', { replicas: 1 });
  const needed = await untilReady('twin', 'False', 'Blocked');
  if (!needed.message.includes('spec.image is needed')) fail(needed.message);
  const theirs = deploymentName('twin', read('twin').metadata.uid);
  await api.apps.createNamespacedDeployment({ namespace: 'default', body: stranger(theirs) });
  const before = await api.apps.readNamespacedDeployment({ namespace: 'default', name: theirs });
  apply('twin', { replicas: 1, image: 'example/ml:2' });
  await until('a stranger is seen', () => ready(read('twin'))?.message.includes('is not ours'));
  colony(['delete', 'executordeployment/twin', '--timeout', '60s']);
  const after = await api.apps.readNamespacedDeployment({ namespace: 'default', name: theirs });
  if (before.metadata.generation !== after.metadata.generation || after.metadata.deletionTimestamp) fail('a stranger was touched');
  say('a Deployment of somebody else under the very name: Blocked, and it was not touched');

  await api.core.createNamespace({ body: { metadata: { name: 'ml' } } });
  colony(['apply', '-f', join(root, 'test', 'fixtures', 'seeds', 'instances', 'ml-training-executors.kubernetes.json')]);
  apply('whole', whole());
  await untilReady('whole', 'True');
  colony(['wait', 'executordeployment/ml-training-executors', '-n', 'ml-colony', '--for=condition=Ready', '--timeout=120s']);
  const [trained] = (await api.core.listNamespacedPod({ namespace: 'ml' })).items;
  const { volumes, nodeSelector, containers } = trained.spec;
  const claim = volumes.find(({ persistentVolumeClaim }) => persistentVolumeClaim)?.persistentVolumeClaim.claimName;
  if (claim !== 'data' || nodeSelector.gpu !== 'true' || containers[0].resources.limits['nvidia.com/gpu'] !== '1')
    fail(`the pod of the document is ${JSON.stringify(trained.spec)}`);
  colony(['delete', 'executordeployment/ml-training-executors', '-n', 'ml-colony', '--timeout', '120s']);
  colony(['delete', 'executordeployment/whole', '--timeout', '120s']);
  say('the document of ColonyOS runs in its namespace with its GPU and its claim; every field that there is was taken');

  colony(['delete', 'executordeployment/ml', '--timeout', '120s']);
  const left = await Promise.all([
    api.apps.listDeploymentForAllNamespaces({ labelSelector: 'colony.io/cluster' }),
    api.apps.listReplicaSetForAllNamespaces({ labelSelector: 'colony.io/cluster' }),
    api.core.listPodForAllNamespaces({ labelSelector: 'colony.io/cluster' }),
  ]);
  const rest = left.flatMap(({ items }) => items.map(({ metadata }) => metadata.name));
  if (rest.length > 0) fail(`left behind: ${rest.join(', ')}`);
  const same = await api.apps.readNamespacedDeployment({ namespace: 'default', name: 'web' });
  if (same.metadata.generation !== web.metadata.generation) fail('a stranger was touched');
  say('deleted: no Deployment, no ReplicaSet, no pod of ours is left');
}

/** A spec with everything that goes to a cluster. */
function whole() {
  const check = { periodSeconds: 5, timeoutSeconds: 2, failureThreshold: 3 };
  return {
    replicas: 1,
    image: 'example/ml:2',
    imagePullPolicy: 'Always',
    entrypoint: ['/bin/sh', '-c'],
    command: ['echo $(HOME) $$'],
    workingDir: '/work',
    user: '1000:1000',
    env: { A: '$(B)', B: '1' },
    ports: [
      { name: 'web', containerPort: 8080 },
      { containerPort: 53, protocol: 'udp' },
    ],
    volumes: [
      { source: 'data', target: '/data', readOnly: true },
      { name: 'scratch', emptyDir: {} },
    ],
    volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
    startupProbe: { exec: { command: ['true'] }, ...check },
    readinessProbe: { httpGet: { port: 8080, path: '/ready' }, ...check },
    livenessProbe: { tcpSocket: { port: 8080 }, ...check },
    resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: 1, memory: '128Mi' } },
    strategy: { type: 'Recreate', minReadySeconds: 1, progressDeadlineSeconds: 60 },
    restartedAt: '2026-01-01T00:00:00Z',
    terminationGracePeriodSeconds: 3,
    config: {
      labels: { team: 'ml', note: 'more than a label takes' },
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'gpu', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }],
    },
  };
}

function manifest(name, spec) {
  const metadata = { name, namespace: 'default' };
  return { apiVersion: 'compute.colonies.io/v1', kind: 'ExecutorDeployment', metadata, spec: { runtime: 'kubernetes', ...spec } };
}

function stranger(name) {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'x', image: 'example/x' }] } };
  return { metadata: { name, labels }, spec: { replicas: 0, selector: { matchLabels: labels }, template } };
}

/** As activities/runtimes/kubernetes/names.ts. */
function deploymentName(name, uid) {
  return `${name}-${createHash('sha256').update(uid).digest('hex').slice(0, 10)}`;
}

async function startColony(env) {
  const up = start('colony', process.execPath, [join(root, 'bin', 'colony.cjs'), 'up'], env);
  const log = join(folder, 'colony.log');
  const ups = () => readFileSync(log, 'utf8').split('colony is up').length - 1;
  const before = ups();
  await until('colony', () => ups() > before);
  return up;
}

/** Says of every pod that it runs and is ready, or that its image is not there. Nothing else of a kubelet. */
function standInForKubelet({ api }) {
  const images = new Set();
  let isOver = false;
  const look = async () => {
    const { items } = await api.core.listPodForAllNamespaces({ labelSelector: 'colony.io/cluster' });
    for (const { metadata, spec, status } of items) {
      if (metadata.deletionTimestamp || status?.containerStatuses) continue;
      const now = new Date().toISOString();
      const isMissing = images.has(spec.containers[0].image);
      const state = isMissing ? { waiting: { reason: 'ErrImagePull', message: 'not found' } } : { running: { startedAt: now } };
      const container = { name: 'main', image: spec.containers[0].image, imageID: '', ready: !isMissing, restartCount: 0, state };
      const conditions = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
        type,
        status: isMissing && type.endsWith('Ready') ? 'False' : 'True',
        lastTransitionTime: now,
      }));
      const body = { status: { phase: isMissing ? 'Pending' : 'Running', conditions, containerStatuses: [container] } };
      const { name, namespace } = metadata;
      await api.core.patchNamespacedPodStatus({ name, namespace, body }, api.merge).catch(() => undefined);
    }
  };
  const loop = async () => {
    while (!isOver) {
      await look().catch(() => undefined);
      await pause(200);
    }
  };
  void loop();
  return { images, end: () => (isOver = true) };
}

async function startCluster(programs) {
  const ports = { etcd: await freePort(), peer: await freePort(), api: await freePort(), manager: await freePort() };
  const certificates = join(folder, 'certificates');
  mkdirSync(certificates);
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = join(certificates, 'accounts.key');
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  writeFileSync(`${key}.pub`, publicKey.export({ type: 'spki', format: 'pem' }));
  const secrets = join(certificates, 'tokens.csv');
  writeFileSync(secrets, `${tokens.admin},admin,1,system:masters\n${tokens.colony},colony,2,colonies\n`, { mode: 0o600 });

  const store = `http://127.0.0.1:${ports.etcd}`;
  const peer = `http://127.0.0.1:${ports.peer}`;
  start('etcd', programs.etcd, [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${store}`,
    `--advertise-client-urls=${store}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ]);
  let server;
  const startServer = () => {
    server = start('kube-apiserver', programs['kube-apiserver'], [
      `--etcd-servers=${store}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${ports.api}`,
      `--cert-dir=${certificates}`,
      '--service-cluster-ip-range=10.0.0.0/24',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${key}.pub`,
      `--service-account-signing-key-file=${key}`,
      `--token-auth-file=${secrets}`,
      '--authorization-mode=RBAC',
    ]);
  };
  startServer();
  const kubeconfig = (user) => {
    const path = join(folder, `kubeconfig-${user}`);
    const cluster = { server: `https://127.0.0.1:${ports.api}`, 'certificate-authority': join(certificates, 'apiserver.crt') };
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'test',
      contexts: [{ name: 'test', context: { cluster: 'test', user } }],
      clusters: [{ name: 'test', cluster }],
      users: [{ name: user, user: { token: tokens[user] } }],
    };
    writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
    return path;
  };
  await until('the certificate of the API server', () => existsSync(join(certificates, 'apiserver.crt')));
  const api = await clients(kubeconfig('admin'));
  const isThere = () => there(() => api.core.readNamespace({ name: 'default' }));
  await until('the API server', isThere);
  await grant(api);
  start('kube-controller-manager', programs['kube-controller-manager'], [
    `--kubeconfig=${kubeconfig('admin')}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${ports.manager}`,
    `--cert-dir=${join(folder, 'manager')}`,
    '--leader-elect=false',
    `--service-account-private-key-file=${key}`,
  ]);
  await until('service accounts', () => there(() => api.core.readNamespacedServiceAccount({ namespace: 'default', name: 'default' })));
  say(`etcd, kube-apiserver and kube-controller-manager ${VERSION} run`);
  return {
    api,
    kubeconfig,
    stopApi: () => end(server),
    startApi: async () => {
      startServer();
      await until('the API server', isThere);
    },
  };
}

/** The rights that activities/runtimes/kubernetes/index.ts says it needs. */
async function grant({ rights }) {
  const rules = [
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list', 'create', 'patch', 'delete'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] },
  ];
  await rights.createClusterRole({ body: { metadata: { name: 'colony' }, rules } });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'colony' };
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'colony' }];
  await rights.createClusterRoleBinding({ body: { metadata: { name: 'colony' }, roleRef, subjects } });
}

async function clients(path) {
  const library = await import('@kubernetes/client-node');
  const config = new library.KubeConfig();
  config.loadFromFile(path);
  return {
    apps: config.makeApiClient(library.AppsV1Api),
    core: config.makeApiClient(library.CoreV1Api),
    rights: config.makeApiClient(library.RbacAuthorizationV1Api),
    merge: library.setHeaderOptions('Content-Type', library.PatchStrategy.MergePatch),
  };
}

function etcdProgram() {
  const found = spawnSync('which', ['etcd'], { encoding: 'utf8' }).stdout.trim();
  if (found) return found;
  const kept = join(cache, 'etcd');
  if (existsSync(kept)) return kept;
  const place = mkdtempSync(join(cache, '.etcd-'));
  run('apt-get', ['download', '-qq', '-o', 'APT::Sandbox::User=root', 'etcd-server'], {}, { cwd: place });
  const [file = ''] = readdirSync(place).filter((name) => name.endsWith('.deb'));
  run('dpkg-deb', ['-x', join(place, file), place]);
  renameSync(join(place, 'usr', 'bin', 'etcd'), kept);
  rmSync(place, { recursive: true });
  return kept;
}

/** The module of Kubernetes replaces its own parts by folders beside it; here they are taken from where they are published. */
function kubernetesParts() {
  const programs = Object.fromEntries(PARTS.map((part) => [part, join(cache, `${part}-${VERSION}`)]));
  if (Object.values(programs).every(existsSync)) return programs;
  say(`building kube-apiserver and kube-controller-manager ${VERSION} with Go (once, about ten minutes) …`);
  mkdirSync(cache, { recursive: true });
  const place = mkdtempSync(join(cache, '.kubernetes-'));
  const flags = `${spawnSync('go', ['env', 'GOFLAGS'], { encoding: 'utf8' }).stdout.trim()} -mod=mod -p=1`.trim();
  const env = { GOFLAGS: flags, CGO_ENABLED: '0' };
  const options = { cwd: place };
  writeFileSync(join(place, 'go.mod'), 'module colony.local/kubernetes-parts\n\ngo 1.23.0\n');
  const { GoMod } = JSON.parse(output('go', ['mod', 'download', '-json', `k8s.io/kubernetes@v${VERSION}`], env, options));
  const staged = [...readFileSync(GoMod, 'utf8').matchAll(/^\s+(k8s\.io\/[\w.-]+) => \.\/staging/gm)].map(([, path]) => path);
  const replaced = staged.map((path) => `replace ${path} => ${path} v${STAGING}`);
  writeFileSync(
    join(place, 'go.mod'),
    ['module colony.local/kubernetes-parts', 'go 1.23.0', `require k8s.io/kubernetes v${VERSION}`, ...replaced, ''].join('\n'),
  );
  const paths = PARTS.map((part) => `k8s.io/kubernetes/cmd/${part}`);
  const imports = paths.map((path) => `import _ "${path}"`);
  writeFileSync(join(place, 'parts.go'), ['//go:build tools', '', 'package parts', '', ...imports, ''].join('\n'));
  run('nice', ['-n', '19', 'go', 'mod', 'tidy', '-e'], env, options);
  run('nice', ['-n', '19', 'go', 'build', '-trimpath', '-ldflags', '-s -w', '-o', `${place}/`, ...paths], env, options);
  for (const part of PARTS) renameSync(join(place, part), programs[part]);
  rmSync(place, { recursive: true });
  return programs;
}

function start(name, command, args, env = {}) {
  const log = openSync(join(folder, `${name}.log`), 'a');
  const child = spawn(command, args.map(String), { env: { ...environment, ...env }, stdio: ['ignore', log, log], cwd: folder });
  child.on('error', (error) => console.error(`kubernetes: ${name}: ${error.message}`));
  children.push(child);
  return child;
}

async function end(child) {
  children.splice(children.indexOf(child), children.includes(child) ? 1 : 0);
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await gone;
  clearTimeout(force);
}

function run(command, args, env = {}, options = {}) {
  output(command, args, env, options);
}

function output(command, args, env, options) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...environment, ...env },
    maxBuffer: 2 ** 26,
    ...options,
  });
  if (status !== 0) fail(`${command} ${args.join(' ')} failed: ${(stderr || stdout || '').trim().split('\n').slice(-3).join(' | ')}`);
  return stdout;
}

/** What the condition answered when it was met. */
async function until(what, isMet) {
  const limit = Date.now() + 120_000;
  for (;;) {
    const met = await isMet();
    if (met) return met;
    const dead = children.find(({ exitCode }) => exitCode);
    if (dead) fail(`${what} did not come: ${dead.spawnfile} ended with exit code ${dead.exitCode}`);
    if (Date.now() > limit) fail(`${what} did not come within two minutes`);
    await pause(300);
  }
}

function there(ask) {
  return ask().then(
    () => true,
    () => false,
  );
}

function pause(ms) {
  return new Promise((wake) => setTimeout(wake, ms));
}

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

function fail(message) {
  throw new Error(message);
}

function say(sentence) {
  console.log(`kubernetes: ${sentence}`);
}
