// `npm run test:postgres`: the topology of docker-compose.yml without containers. Temporal server on a real PostgreSQL, two colony
// workers; applies resources, kills one worker with -9 and sees the other go on. Needs Go (builds the server once, about five
// minutes, into colony's cache) and PostgreSQL's server programs (installed with apt-get when run as root on Debian).
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SERVER_VERSION = '1.31.2';
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { COLONY_CACHE, XDG_CACHE_HOME } = process.env;
const cache = COLONY_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'colony');
const folder = mkdtempSync(join(tmpdir(), 'colony-postgres-'));
const password = randomBytes(18).toString('base64url');
const children = [];

try {
  run(process.execPath, [join(root, 'scripts', 'build.mjs')]);
  const { server, tool } = serverTools();
  const postgres = await startPostgres();
  setUpSchema(tool, postgres.port);
  setUpSchema(tool, postgres.port); // safe to run again, as compose does at every start
  say('schema is there, also after a second run');
  const address = await startTemporal(server, postgres.port);
  const workers = [await startWorker(address, 'a'), await startWorker(address, 'b')];
  say('two workers poll');
  await exercise(address, workers);
  say('all good');
} catch (error) {
  console.error(`postgres: FAILED: ${error.message}\npostgres: logs are in ${folder}`);
  process.exitCode = 1;
} finally {
  for (const child of children.reverse()) await end(child);
  if (process.exitCode !== 1) rmSync(folder, { recursive: true, force: true });
}

/** What a person would do: apply, lose a worker, go on, read it all back. */
async function exercise(address, [first, second]) {
  const colony = (args, input) =>
    execFileSync(process.execPath, [join(root, 'bin', 'colony.cjs'), ...args], {
      input,
      encoding: 'utf8',
      env: { ...process.env, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: 'default' },
    });
  const apply = (name, state) => colony(['apply', '-f', '-'], JSON.stringify(manifest(name, state)));
  const waitReady = (name) => colony(['wait', `requeststate/${name}`, '--for=condition=Ready', '--timeout=30s']);
  const names = Array.from({ length: 10 }, (_, index) => `before-${index}`);
  for (const name of names) apply(name, 'REQUESTED');
  for (const name of names) waitReady(name);
  say('10 resources are ready');
  first.kill('SIGKILL');
  const began = Date.now();
  for (const name of names) apply(name, 'STARTED');
  apply('after', 'REQUESTED');
  for (const name of [...names, 'after']) waitReady(name);
  say(`one worker was killed; the other took over and finished in ${((Date.now() - began) / 1000).toFixed(1)} s`);
  const { items } = JSON.parse(colony(['get', 'requeststates', '-o', 'json']));
  const states = items.map(({ metadata, status }) => `${metadata.name}=${status.state}`).sort();
  const wanted = [...names.map((name) => `${name}=STARTED`), 'after=REQUESTED'].sort();
  if (states.join() !== wanted.join()) throw new Error(`read back ${states.join(' ')}`);
  if (second.exitCode !== null) throw new Error('the other worker died too');
}

function manifest(name, state) {
  const spec = { 'request-uid': name, job: 'JOB1', state };
  return { apiVersion: 'com.redhat.ecosystem.sample/v1', kind: 'RequestState', metadata: { name }, spec };
}

function serverTools() {
  const [server, tool] = [join(cache, `temporal-server-${SERVER_VERSION}`), join(cache, `temporal-sql-tool-${SERVER_VERSION}`)];
  if (existsSync(server) && existsSync(tool)) return { server, tool };
  say(`building Temporal server ${SERVER_VERSION} with Go (once, about five minutes) …`);
  mkdirSync(cache, { recursive: true });
  const bin = mkdtempSync(join(cache, '.build-'));
  const packages = ['cmd/server', 'cmd/tools/sql'].map((path) => `go.temporal.io/server/${path}@v${SERVER_VERSION}`);
  run('nice', ['-n', '19', 'go', 'install', ...packages], { GOBIN: bin });
  renameSync(join(bin, 'server'), server);
  renameSync(join(bin, 'sql'), tool);
  rmSync(bin, { recursive: true });
  return { server, tool };
}

async function startPostgres() {
  const bin = postgresPrograms();
  // PostgreSQL refuses to run as root.
  const owner = process.getuid() === 0 ? (accountOf('postgres') ?? accountOf('nobody')) : {};
  const data = join(folder, 'postgres');
  mkdirSync(data, { mode: 0o700 });
  const secret = join(folder, 'secret');
  writeFileSync(secret, password, { mode: 0o644 });
  if (owner.uid) for (const path of [folder, data]) chownSync(path, owner.uid, owner.gid);
  const initdb = ['-D', data, '-U', 'temporal', `--pwfile=${secret}`, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'];
  run(join(bin, 'initdb'), initdb, {}, { ...owner, cwd: data });
  rmSync(secret);
  const port = await freePort();
  start('postgres', join(bin, 'postgres'), ['-D', data, '-p', port, '-h', '127.0.0.1', '-k', data], {}, owner);
  await until('PostgreSQL', () => spawnSync(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', port]).status === 0);
  say(`PostgreSQL runs on port ${port}`);
  return { port };
}

function postgresPrograms() {
  const find = () => {
    const base = '/usr/lib/postgresql';
    const versions = existsSync(base) ? readdirSync(base).sort((a, b) => Number(b) - Number(a)) : [];
    const folders = [...versions.map((version) => join(base, version, 'bin')), ...(process.env.PATH ?? '').split(delimiter)];
    return folders.find((bin) => existsSync(join(bin, 'initdb')) && existsSync(join(bin, 'pg_isready')));
  };
  if (!find() && process.getuid() === 0) run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'postgresql']);
  return find() ?? fail("PostgreSQL's server programs (initdb, postgres) are not installed");
}

function setUpSchema(tool, port) {
  const env = {
    SQL_TOOL: tool,
    SQL_PLUGIN: 'postgres12',
    SQL_HOST: '127.0.0.1',
    SQL_PORT: String(port),
    SQL_USER: 'temporal',
    SQL_PASSWORD: password,
  };
  run('sh', [join(root, 'docker', 'setup-schema.sh')], env);
}

/** With the environment that compose gives it, and ports of its own. */
async function startTemporal(server, databasePort) {
  const roles = ['FRONTEND', 'INTERNAL_FRONTEND', 'HISTORY', 'MATCHING', 'WORKER'];
  const names = ['FRONTEND_HTTP_PORT', ...roles.flatMap((role) => [`${role}_GRPC_PORT`, `${role}_MEMBERSHIP_PORT`])];
  const ports = {};
  for (const name of names) ports[name] = String(await freePort());
  start('temporal', server, ['--allow-no-auth', 'start'], {
    ...ports,
    DB: 'postgres12',
    DB_PORT: String(databasePort),
    POSTGRES_SEEDS: '127.0.0.1',
    POSTGRES_USER: 'temporal',
    POSTGRES_PWD: password,
    NUM_HISTORY_SHARDS: '512',
    BIND_ON_IP: '127.0.0.1',
    LOG_LEVEL: 'warn',
    DYNAMIC_CONFIG_FILE_PATH: join(root, 'docker', 'dynamicconfig.yaml'),
  });
  const address = `127.0.0.1:${ports.FRONTEND_GRPC_PORT}`;
  const cli = temporalCli();
  const env = { PATH: `${cli}${delimiter}${process.env.PATH}`, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: 'default' };
  const script = join(root, 'docker', 'create-namespace.sh');
  await until('Temporal', () => spawnSync('sh', [script], { env: { ...process.env, ...env }, stdio: 'ignore' }).status === 0);
  say(`Temporal server ${SERVER_VERSION} runs on it, at ${address}`);
  return address;
}

/** A folder in which colony's cached CLI is called `temporal`. */
function temporalCli() {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const cached = readdirSync(cache).find((name) => /^temporal-\d+\.\d+\.\d+$/.test(name));
  if (cached) symlinkSync(join(cache, cached), join(bin, 'temporal'));
  else if (spawnSync('temporal', ['--version']).status !== 0) fail('the temporal CLI is missing; run `npm start` once, it gets it');
  return bin;
}

async function startWorker(address, name) {
  const port = await freePort();
  const env = { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: 'default', COLONY_HOME: folder, COLONY_HEALTH_PORT: String(port) };
  const worker = start(`worker-${name}`, process.execPath, [join(root, 'dist', 'worker.mjs')], env);
  const healthy = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(`worker ${name}`, healthy);
  return worker;
}

function start(name, command, args, env, account = {}) {
  const log = openSync(join(folder, `${name}.log`), 'a');
  const child = spawn(command, args.map(String), { env: { ...process.env, ...env }, stdio: ['ignore', log, log], cwd: folder, ...account });
  child.on('error', (error) => console.error(`postgres: ${name}: ${error.message}`));
  children.push(child);
  return child;
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await gone;
  clearTimeout(force);
}

function run(command, args, env = {}, options = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, ...env }, ...options });
  if (status !== 0) fail(`${command} ${args[0] ?? ''} failed: ${(stderr || stdout || '').trim().split('\n').slice(-3).join(' | ')}`);
}

async function until(what, isThere) {
  const limit = Date.now() + 60_000;
  while (!(await isThere())) {
    const dead = children.find(({ exitCode }) => exitCode);
    if (dead) fail(`${what} did not come: ${dead.spawnfile} ended with exit code ${dead.exitCode}`);
    if (Date.now() > limit) fail(`${what} was not there after a minute`);
    await new Promise((wake) => setTimeout(wake, 200));
  }
}

function accountOf(name) {
  const id = (flag) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout);
  return id('-u') ? { uid: id('-u'), gid: id('-g') } : undefined;
}

/** Below 32,768: Temporal keeps its members' ports in a SMALLINT of PostgreSQL. */
async function freePort() {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const probe = createServer();
    const isFree = await new Promise((resolve) => {
      probe.once('error', () => resolve(false));
      probe.listen(port, '127.0.0.1', () => resolve(true));
    });
    await new Promise((resolve) => probe.close(resolve));
    if (isFree) return port;
  }
}

function fail(message) {
  throw new Error(message);
}

function say(sentence) {
  console.log(`postgres: ${sentence}`);
}
