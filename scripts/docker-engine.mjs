// A Docker engine of one's own, with its own containerd, in one folder: for tests, never seen by the machine's other engines.
// `node scripts/docker-engine.mjs start <folder>` prints its DOCKER_HOST; `… stop <folder>` ends it and removes the folder.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildTestImages } from './test-images.mjs';

const NEEDED = ['dockerd', 'containerd', 'runc', 'ip', 'iptables', 'umount', 'busybox'];
const OWNER = 'owner';
const FOLDER = /^colony-engine-(\d+)-/;
const CGROUPS = '/sys/fs/cgroup';
const BRIDGE = /^colony-t(\d+)$/;
/** 198.18.0.0/15 is for tests and never routed: a sixteenth of a /16 for each engine. */
const ENGINES = 32;
/** A unix socket's path has 107 characters at most, and containerd puts longer names than docker.sock into the folder. */
const LONGEST_FOLDER = 80;

/** A new folder for what this process starts; `sweepEngines` of a later process knows by its name whether it was left behind. */
export function newEngineFolder() {
  return claimFolder(mkdtempSync(join(tmpdir(), `colony-engine-${process.pid}-`)));
}

/**
 * Starts an engine that has the test images. Throws one sentence for a person when it cannot be had.
 *
 * Guarantees: shares no socket, folder, bridge, subnet, cgroup, rule or key with another engine, so any number can run at once;
 * what it leaves is found by the folder alone, also by another process. Published ports work on the machine's own addresses.
 */
export async function startEngine(folder = newEngineFolder(), { liveRestore = false, images = true } = {}) {
  folder = resolve(folder);
  assertPossible(folder);
  claimFolder(folder);
  try {
    const engine = new Engine(folder, claimNetwork(folder), liveRestore);
    await engine.launchContainerd();
    await engine.launchDockerd();
    if (images) await buildTestImages(engine.socket);
    return engine;
  } catch (error) {
    await stopEngine(folder);
    throw error;
  }
}

/** Ends everything an engine ever started and removes its folder; whoever started it, in whatever state it is. Fine when it is gone. */
export async function stopEngine(folder) {
  folder = resolve(folder);
  if (!existsSync(folder)) return;
  if (![OWNER, 'containerd.toml'].some((name) => existsSync(join(folder, name))) || !isMine(folder))
    throw new Error(`${folder} is not the folder of an engine`);
  const shimSockets = listShimSockets(folder);
  const cgroups = cgroupsOf(folder);
  // The engine first, or it would start again what was told to run always; then children before those that wait for them.
  // Nothing is asked to end: all of it is thrown away.
  await endAll(() => processesOf(folder, 'dockerd'));
  for (const cgroup of cgroups) thaw(cgroup);
  await endAll(() => cgroups.flatMap(membersOf));
  await endAll(() => processesOf(folder, 'containerd-shim-runc-v2'));
  await endAll(() => processesOf(folder, 'containerd'));
  await endAll(() => processesOf(folder, 'docker-registry')); // one that was put into the same folder
  for (const point of mountsUnder(folder).reverse()) spawnSync('umount', ['--lazy', point]);
  for (const socket of shimSockets) rmSync(socket, { force: true });
  for (const cgroup of cgroups) removeCgroup(cgroup);
  removeLinks(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** Ends what dead processes have left; says which. */
export async function sweepEngines(say) {
  if (process.getuid?.() !== 0 || process.platform !== 'linux') return;
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(FOLDER.exec(name)?.[1] ?? 0);
    const folder = join(tmpdir(), name);
    try {
      if (pid === 0 || isOwnerAlive(folder, pid) || !isMine(folder)) continue;
      say(`ending a Docker engine that process ${pid} left behind`);
      writeFileSync(join(folder, OWNER), '', { flag: 'a' }); // it may have been killed before it could say so
      await stopEngine(folder);
    } catch (error) {
      if (existsSync(folder)) throw error; // else somebody else swept it
    }
  }
}

/** Whether an engine answers there. */
export function ping(socket, timeoutMs = 1_000) {
  return new Promise((resolve) => {
    const call = request({ socketPath: socket, path: '/_ping', timeout: timeoutMs }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    call.on('timeout', () => call.destroy());
    call.on('error', () => resolve(false));
    call.end();
  });
}

class Engine {
  #network;
  #liveRestore;
  #dockerd;

  constructor(folder, network, liveRestore) {
    this.folder = folder;
    this.socket = join(folder, 'docker.sock');
    this.host = `unix://${this.socket}`;
    this.#network = network;
    this.#liveRestore = liveRestore;
  }

  /** Of the engine itself, not of its containerd. */
  get pid() {
    return this.#dockerd.pid;
  }

  /** Sends the engine a signal; its containerd and, until it comes back, its containers live on. SIGSTOP makes it a node that hangs. */
  kill(signal = 'SIGKILL') {
    process.kill(this.pid, signal);
  }

  /** Ends the engine alone. */
  async halt(signal = 'SIGTERM') {
    if (isRunning(this.pid)) this.kill(signal);
    await until(() => !isRunning(this.pid), 30_000, 'the engine to end');
  }

  /** Comes back when the engine answers again. */
  async restart(signal = 'SIGTERM') {
    await this.halt(signal);
    await this.launchDockerd();
  }

  stop() {
    return stopEngine(this.folder);
  }

  async launchContainerd() {
    const inside = (name) => JSON.stringify(join(this.folder, name)); // as TOML has it too
    const lines = [
      'version = 2',
      `root = ${inside('cd-root')}`,
      `state = ${inside('cd-state')}`,
      'disabled_plugins = ["io.containerd.grpc.v1.cri"]', // for Kubernetes
      '[grpc]',
      `address = ${inside('containerd.sock')}`,
      '[plugins."io.containerd.internal.v1.opt"]',
      `path = ${inside('cd-opt')}`,
    ];
    writeFileSync(join(this.folder, 'containerd.toml'), `${lines.join('\n')}\n`);
    const child = this.#spawn('containerd', ['--config', join(this.folder, 'containerd.toml')]);
    await until(
      () => isListening(join(this.folder, 'containerd.sock')),
      20_000,
      'containerd',
      () => this.#why(child, 'containerd'),
    );
  }

  async launchDockerd() {
    rmSync(join(this.folder, 'docker.pid'), { force: true }); // of one that was killed
    writeFileSync(join(this.folder, 'daemon.json'), JSON.stringify(this.#config()));
    const child = this.#spawn('dockerd', ['--config-file', join(this.folder, 'daemon.json'), '--data-root', join(this.folder, 'root')]);
    this.#dockerd = child;
    await until(
      () => ping(this.socket),
      60_000,
      'the engine',
      () => this.#why(child, 'dockerd'),
    );
  }

  /** A file of its own, because the machine's may say otherwise. `bridge: none` would take away the bridge of the machine's engine. */
  #config() {
    const { bridge, pools } = this.#network;
    return {
      hosts: [this.host],
      containerd: join(this.folder, 'containerd.sock'),
      'exec-root': join(this.folder, 'exec'),
      pidfile: join(this.folder, 'docker.pid'),
      bridge,
      'default-address-pools': pools.map((base) => ({ base, size: 26 })),
      iptables: false,
      'ip-masq': false,
      'ip-forward': false,
      'cgroup-parent': `/${cgroupName(this.folder)}`,
      'exec-opts': ['native.cgroupdriver=cgroupfs'],
      'live-restore': this.#liveRestore,
      'shutdown-timeout': 2,
      'max-concurrent-downloads': 3,
      // Newer engines keep their identity in their data folder; this one would share /etc/docker/key.json.
      ...(engineMajor() < 23 ? { 'deprecated-key-path': join(this.folder, 'key.json') } : {}),
    };
  }

  /** In a session of its own: Ctrl-C is for whoever started it, who then ends it in order. */
  #spawn(command, args) {
    const log = openSync(join(this.folder, `${command}.log`), 'a');
    const child = spawn(command, args, { detached: true, stdio: ['ignore', log, log], env: { ...process.env, PATH: searchPath() } });
    closeSync(log);
    child.on('error', () => {});
    child.unref();
    return child;
  }

  /** Its last words, when it has ended. */
  #why(child, name) {
    if (child.pid !== undefined && isRunning(child.pid)) return undefined;
    return `${name} ended: ${readFileSync(join(this.folder, `${name}.log`), 'utf8')
      .trim()
      .split('\n')
      .slice(-2)
      .join(' | ')}`;
  }
}

/** Says in it whose it is, so that nothing else is ever removed. */
function claimFolder(folder) {
  mkdirSync(folder, { recursive: true });
  if (processesOf(folder, 'dockerd').length > 0) throw new Error(`an engine runs in ${folder}`);
  if (readdirSync(folder).some((name) => name !== OWNER)) throw new Error(`${folder} is not empty`);
  writeFileSync(join(folder, OWNER), `${process.pid} ${bornAt(process.pid)}`);
  return folder;
}

/** Whoever can write into it can have anything ended by it. */
function isMine(folder) {
  const found = lstatSync(folder);
  return found.isDirectory() && found.uid === process.getuid?.();
}

function assertPossible(folder) {
  if (process.platform !== 'linux') throw new Error('a private Docker engine needs Linux');
  if (process.getuid() !== 0) throw new Error('a private Docker engine needs root');
  if (folder.length > LONGEST_FOLDER) throw new Error(`${folder} is too long for sockets in it; set TMPDIR to a shorter one`);
  const lacking = NEEDED.filter((name) => spawnSync('which', [name], { env: { ...process.env, PATH: searchPath() } }).status !== 0);
  if (lacking.length > 0) throw new Error(`not installed: ${lacking.join(', ')}`);
}

/** Not everybody has the places of root on their PATH. */
function searchPath() {
  return `${process.env.PATH ?? ''}:/usr/local/sbin:/usr/sbin:/sbin`;
}

function engineMajor() {
  const { stdout } = spawnSync('dockerd', ['--version'], { encoding: 'utf8', env: { ...process.env, PATH: searchPath() } });
  return Number(/version (\d+)\./.exec(stdout ?? '')?.[1] ?? 0);
}

/** Whoever makes the bridge of that number has the number's subnet; the address of the bridge says for which folder. */
function claimNetwork(folder) {
  const routes = JSON.parse(ip('-4', '-json', 'route').stdout).map(({ dst }) => dst);
  const first = process.pid % ENGINES;
  for (let tried = 0; tried < ENGINES; tried++) {
    const number = (first + tried) % ENGINES;
    const at = (third) => `198.${18 + (number >> 4)}.${(number % 16) * 16 + third}`;
    if (routes.some((route) => Array.from({ length: 16 }, (_, third) => `${at(third)}.`).some((prefix) => route.startsWith(prefix))))
      continue;
    const bridge = `colony-t${number}`;
    if (ip('link', 'add', bridge, 'address', bridgeAddress(folder), 'type', 'bridge').status !== 0) continue;
    const given = ip('addr', 'add', `${at(0)}.1/24`, 'dev', bridge);
    const up = ip('link', 'set', bridge, 'up');
    if (given.status !== 0 || up.status !== 0) throw new Error(`no bridge can be made: ${(given.stderr + up.stderr).trim()}`);
    return { bridge, pools: Array.from({ length: 15 }, (_, index) => `${at(index + 1)}.0/24`) };
  }
  throw new Error(`no bridge can be made: ${ip('link', 'add', 'colony-probe', 'type', 'nosuch').stderr.trim() || 'all are taken'}`);
}

/** Folders of the same name in different places are different. */
function cgroupName(folder) {
  return `${basename(folder)}-${createHash('sha256').update(folder).digest('hex').slice(0, 8)}`;
}

function bridgeAddress(folder) {
  return ['02', ...createHash('sha256').update(folder).digest('hex').slice(0, 10).match(/../g)].join(':');
}

/** The bridge, and those of networks that were made in the engine. */
function removeLinks(folder) {
  const links = JSON.parse(ip('-4', '-json', 'addr').stdout || '[]');
  const own = JSON.parse(ip('-json', 'link').stdout || '[]').find(
    ({ ifname, address }) => BRIDGE.test(ifname) && address === bridgeAddress(folder),
  );
  if (!own) return;
  const number = Number(BRIDGE.exec(own.ifname)[1]);
  const isInside = ({ local }) => {
    const [one, two, third] = local.split('.').map(Number);
    return one === 198 && two === 18 + (number >> 4) && third >> 4 === number % 16;
  };
  for (const { ifname, addr_info: addresses } of links) if (ifname !== own.ifname && addresses.some(isInside)) ip('link', 'delete', ifname);
  ip('link', 'delete', own.ifname); // last: it holds the number
}

function ip(...args) {
  const { status, stdout, stderr } = spawnSync('ip', args, { encoding: 'utf8', env: { ...process.env, PATH: searchPath() } });
  return { status, stdout: stdout ?? '', stderr: stderr ?? '' };
}

/** Processes of that name that were started for the folder. */
function processesOf(folder, name) {
  return list('/proc').filter((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    const [command, ...args] = read(`/proc/${entry}/cmdline`).split('\0');
    return basename(command) === name && args.some((arg) => arg.startsWith(`${folder}/`)) && isRunning(entry);
  });
}

/** In every hierarchy of cgroup v1, or in the one of v2. */
function cgroupsOf(folder) {
  const [, name = cgroupName(folder)] = /"cgroup-parent":"\/([^"/]+)"/.exec(read(join(folder, 'daemon.json'))) ?? [];
  return [CGROUPS, ...list(CGROUPS).map((controller) => join(CGROUPS, controller))]
    .map((hierarchy) => join(hierarchy, name))
    .filter((path) => list(path).length > 0);
}

function membersOf(cgroup) {
  const own = read(join(cgroup, 'cgroup.procs'))
    .split('\n')
    .filter((pid) => Number(pid) > 1 && isRunning(pid));
  return [...own, ...foldersIn(cgroup).flatMap(membersOf)];
}

/** A frozen process of cgroup v1 does not even die. */
function thaw(cgroup) {
  for (const [file, value] of [
    ['freezer.state', 'THAWED'],
    ['cgroup.freeze', '0'],
  ]) {
    try {
      writeFileSync(join(cgroup, file), value, { flag: 'r+' });
    } catch {} // of the other version
  }
  for (const inner of foldersIn(cgroup)) thaw(inner);
}

function removeCgroup(cgroup) {
  for (const inner of foldersIn(cgroup)) removeCgroup(inner);
  try {
    rmdirSync(cgroup);
  } catch {} // gone, or named once more under a link to the same hierarchy
}

function foldersIn(path) {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(path, name));
  } catch {
    return [];
  }
}

/** Shims listen outside the folder, at places that they note down in it. */
function listShimSockets(folder) {
  const tasks = join(folder, 'cd-state', 'io.containerd.runtime.v2.task', 'moby');
  return list(tasks)
    .map((id) => read(join(tasks, id, 'address')).replace(/^unix:\/\//, ''))
    .filter((path) => path.startsWith('/run/containerd/s/'));
}

function mountsUnder(folder) {
  const points = read('/proc/self/mountinfo')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '');
  return points.filter((point) => point.startsWith(`${folder}/`));
}

async function endAll(find) {
  const end = Date.now() + 10_000;
  for (let pids = find(); pids.length > 0 && Date.now() < end; pids = find()) {
    for (const pid of pids) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {} // it was quicker
    }
    await sleep(20);
  }
}

function isOwnerAlive(folder, pid) {
  if (!isRunning(pid)) return false;
  const owner = read(join(folder, OWNER));
  return owner === '' || owner === `${pid} ${bornAt(pid)}`; // another process may have the number by now
}

/** Ticks since the machine's start; empty when there is no such process. The name before may hold anything, blanks too. */
function bornAt(pid) {
  return read(`/proc/${pid}/stat`).split(') ').at(-1).split(' ')[19] ?? '';
}

/** A zombie still runs while threads of it do: they hold its files and sockets. */
function isRunning(pid) {
  const fields = read(`/proc/${pid}/stat`).split(') ').at(-1).split(' ');
  return fields[0] === 'Z' ? Number(fields[17]) > 1 : fields[0] !== '' && fields[0] !== 'X';
}

function isListening(socket) {
  return read('/proc/net/unix')
    .split('\n')
    .some((line) => line.endsWith(` ${socket}`));
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function list(path) {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

async function until(isSo, withinMs, what, why = () => undefined) {
  const end = Date.now() + withinMs;
  while (!(await isSo())) {
    const reason = why();
    if (reason) throw new Error(reason);
    if (Date.now() > end) throw new Error(`waited ${withinMs / 1000} s in vain for ${what}`);
    await sleep(20);
  }
}

const sleep = (ms) => new Promise((wake) => setTimeout(wake, ms));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [command, folder] = process.argv.slice(2);
  try {
    if (!folder || !['start', 'stop'].includes(command)) throw new Error('usage: node scripts/docker-engine.mjs start|stop <folder>');
    if (command === 'start') console.log((await startEngine(folder)).host);
    else await stopEngine(folder);
  } catch (error) {
    console.error(`docker-engine: ${error.message}`);
    process.exitCode = 1;
  }
}
