import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Unreachable } from '../../../activities/runtimes/runtime.ts';
import { NodeDoorClient } from '../../node/door/client.ts';
import { type NodeDoor, serveNodeDoor } from '../../node/door/index.ts';
import { FakeRuntime } from '../../node/door/test-double/runtime.ts';
import { checkRuntimes } from './runtimes.ts';

let folder: string;
let path: string;
let docker: FakeRuntime;
let door: NodeDoor;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'doctor-'));
  path = join(folder, 'node-a.sock');
  docker = new FakeRuntime('docker');
  const runtimes = new Map([
    ['docker', docker],
    ['local', new FakeRuntime('local')],
  ] as const);
  door = await serveNodeDoor({ path, runtimes, log: { info: () => {}, warn: () => {} } });
});
afterEach(async () => {
  await door.close();
  rmSync(folder, { recursive: true, force: true });
});

const found = (needed: number) => checkRuntimes(new NodeDoorClient(path), async () => needed);

describe('checkRuntimes', () => {
  it('has a word for every runtime of the node', async () => {
    expect(await found(0)).toEqual([
      { check: 'runtime docker', state: 'ok', found: 'answers' },
      { check: 'runtime local', state: 'ok', found: 'answers' },
    ]);
  });

  it('finds a dead engine that resources need, and says what to do', async () => {
    docker.trouble = new Unreachable('the docker engine cannot be reached (ECONNREFUSED)');
    const [dead, other] = await found(2);
    expect(dead).toMatchObject({
      check: 'runtime docker',
      state: 'bad',
      found: 'the docker engine cannot be reached (ECONNREFUSED); 2 resources need it here',
    });
    expect(dead?.todo).toContain('Start the Docker engine');
    expect(other?.state).toBe('ok');
  });

  it('does not call a machine sick for an engine that nobody needs', async () => {
    docker.trouble = new Unreachable('the docker engine cannot be reached (ENOENT)');
    expect((await found(0))[0]).toMatchObject({ check: 'runtime docker', state: 'skipped' });
  });

  it('says of an agent in another home that it cannot be asked', async () => {
    await door.close();
    expect(await found(1)).toMatchObject([{ check: 'runtimes', state: 'skipped', todo: expect.stringContaining('COLONY_HOME') }]);
  });
});
