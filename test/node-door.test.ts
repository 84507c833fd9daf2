import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Status } from '../definitions/core/resource.ts';
import { run } from '../src/cli/run.ts';
import { appColony, report } from '../src/cli/test-double/app.ts';
import type { FakeColony } from '../src/cli/test-double/colony.ts';
import { fakeIo, fakeKeyboard } from '../src/cli/test-double/io.ts';
import { colonyCli } from '../src/cli/test-double/run.ts';
import { type NodeDoor, placeNodeDoor, serveNodeDoor } from '../src/node/door/index.ts';
import { eventually, LocalStage } from './support/local/stage.ts';

/** Commands of a person, the door and real processes: what lies between is not doubled. */
let home: string;
let stage: LocalStage;
let door: NodeDoor;
let colony: FakeColony;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'colony-door-'));
  stage = new LocalStage();
  const log = { info: () => {}, warn: () => {} };
  door = await serveNodeDoor({ path: placeNodeDoor(home, 'a'), runtimes: new Map([['local', stage.runtime]]), log });
  colony = appColony({ instances: [report(0)] });
  const [key, web] = [...colony.stored][0]!;
  colony.stored.set(key, { ...web, metadata: { ...web.metadata, uid: stage.owner.uid } });
});
afterEach(async () => {
  await door.close();
  await stage.clear();
  rmSync(home, { recursive: true, force: true });
});

const env = () => ({ COLONY_HOME: home, COLONY_NODE: 'a' });
const cli = (argv: readonly string[], more = {}) => colonyCli(colony, argv, { env: env(), ...more });

describe('colony logs of local processes', () => {
  it('keeps the streams apart, cuts the tail, and knows the life before', async () => {
    const revision = stage.shell('echo "life $(cat n 2>/dev/null)"; echo 2 >> n; echo bad >&2; exit 1');
    await stage.start(revision);
    await stage.until(({ state }) => state === 'exited');
    await stage.start(revision);
    await eventually(async () => ((await cli(['logs', 'app/web'])).out === 'life 2\n' ? true : undefined));
    expect(await cli(['logs', 'app/web', '--previous'])).toEqual({ code: 0, out: 'life \n', err: 'bad\n' });
    expect((await cli(['logs', 'app/web', '--tail', '0'])).out).toBe('');
  });

  it('says that the first life has none before it', async () => {
    const { id } = await stage.start(stage.shell('echo one; exec sleep 100'));
    const [key, web] = [...colony.stored][0]!;
    colony.stored.set(key, { ...web, status: { instances: [report(0, { id })] } as unknown as Status });
    const { code, out, err } = await cli(['logs', 'app/web', '--previous']);
    expect([code, out, err]).toEqual([1, '', expect.stringMatching(/^error: slot 0 of .* was never started again/)]);
  });

  it('follows several until Ctrl-C', async () => {
    for (const slot of [0, 1]) await stage.start(stage.shell('n=0; while :; do n=$((n+1)); echo $COLONY_SLOT $n; sleep 0.1; done'), slot);
    const io = fakeIo({ env: env() });
    const running = run(['logs', 'app/web', '-f'], io, async () => colony);
    await expect.poll(() => io.stdout(), { timeout: 10_000 }).toContain('[0] 0 5\n');
    await expect.poll(() => io.stdout(), { timeout: 10_000 }).toContain('[1] 1 5\n');
    io.interrupt();
    expect([await running, io.stderr()]).toEqual([0, '']);
  });
});

describe('colony exec beside local processes', () => {
  it('carries input, output and exit code', async () => {
    await stage.start(stage.shell('sleep 100', { env: { GREETING: 'hello' } }));
    expect(await cli(['exec', 'app/web', '--', 'sh', '-c', 'echo $GREETING; echo bad >&2; exit 5'])).toEqual({
      code: 5,
      out: 'hello\n',
      err: 'bad\n',
    });
    const keyboard = fakeKeyboard(['x'.repeat(200_000), 'end']);
    expect((await cli(['exec', 'app/web', '-i', '--', 'wc', '-c'], { keyboard })).out.trim()).toBe('200003');
    expect(await cli(['exec', 'app/web', '--', 'no-such-command'])).toMatchObject({
      code: 1,
      err: 'error: The command "no-such-command" is not on this node, or may not be run.\n',
    });
  });

  it('lends a terminal', async () => {
    await stage.start(stage.shell('sleep 100'));
    const keyboard = fakeKeyboard([], { isTerminal: true });
    expect((await cli(['exec', 'app/web', '-t', '--', 'sh', '-c', 'test -t 1 && echo terminal'], { keyboard })).out).toBe('terminal\r\n');
  });
});

describe('colony top of local processes', () => {
  it('shows what they use', async () => {
    await stage.start(stage.shell('while :; do :; done'));
    const { items } = JSON.parse((await cli(['top', 'app/web', '-o', 'json'])).out);
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ slot: 0, node: 'a', runtime: 'local', pids: 1 });
    expect(items[0].cpus).toBeGreaterThan(0.05);
    expect(items[0].memoryBytes).toBeGreaterThan(100_000);
    expect((await cli(['top'])).out).toMatch(/^INSTANCE +NODE +CPU +MEMORY +LIMIT +PIDS\nweb-/);
  });
});
