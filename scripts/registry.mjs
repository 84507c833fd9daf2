// An image registry on a port of the loopback, in one folder: for tests. Engines trust the loopback without being told.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';

const PROGRAM = 'docker-registry';
const ATTEMPTS = 5;

/**
 * Starts one and waits until it answers. Throws one sentence for a person when it cannot be had.
 *
 * `users`: lines as htpasswd writes them (bcrypt); then nobody else is let in.
 */
export async function startRegistry(folder, { users } = {}) {
  if (spawnSync('which', [PROGRAM]).status !== 0) throw new Error(`not installed: ${PROGRAM}`);
  const home = resolve(folder);
  mkdirSync(home, { recursive: true });
  for (let attempt = 1; ; attempt++) {
    const address = `127.0.0.1:${await freePort()}`;
    const child = launch(home, address, users);
    if (await answers(address, child)) return { address, pid: child.pid, stop: () => stop(child) };
    await stop(child);
    if (attempt === ATTEMPTS)
      throw new Error(`${PROGRAM} ended: ${readFileSync(join(home, 'registry.log'), 'utf8').trim().split('\n').at(-1)}`);
  }
}

function launch(home, address, users) {
  if (users) writeFileSync(join(home, 'users'), users);
  const config = {
    version: 0.1,
    log: { level: 'warn' },
    storage: { filesystem: { rootdirectory: join(home, 'data') }, delete: { enabled: true } },
    http: { addr: address },
    ...(users ? { auth: { htpasswd: { realm: 'colony', path: join(home, 'users') } } } : {}),
  };
  writeFileSync(join(home, 'config.yml'), JSON.stringify(config)); // JSON is YAML
  const log = openSync(join(home, 'registry.log'), 'a');
  const child = spawn(PROGRAM, ['serve', join(home, 'config.yml')], { detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  child.on('error', () => {});
  child.unref();
  return child;
}

async function answers(address, child) {
  for (const end = Date.now() + 20_000; Date.now() < end; await new Promise((wake) => setTimeout(wake, 20))) {
    if (hasEnded(child)) return false; // somebody took the port
    const answer = await fetch(`http://${address}/v2/`).catch(() => undefined);
    if (answer?.ok || answer?.status === 401) return true;
  }
  return false;
}

function stop(child) {
  if (child.pid === undefined || hasEnded(child)) return Promise.resolve();
  return new Promise((done) => {
    child.ref();
    child.once('exit', () => done());
    child.kill('SIGKILL');
  });
}

const hasEnded = ({ exitCode, signalCode }) => exitCode !== null || signalCode !== null;

function freePort() {
  return new Promise((found, fail) => {
    const server = createServer().once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => found(port));
    });
  });
}
