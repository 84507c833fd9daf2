import type Docker from 'dockerode';
import { describe, expect, it } from 'vitest';
import { owner } from '../../../test/support/sample-revision.ts';
import type { Identity } from './labels.ts';
import { containerName } from './names.ts';
import { exitOf, seenOf, stateOf } from './seen.ts';

const kernel = { memory: true, swap: true, pids: true };
const identity: Identity = {
  owner,
  slot: 1,
  digest: 'd',
  generation: 3,
  probes: {},
  portNames: [{ name: 'http', container: 80, protocol: 'tcp' }],
};
const givenName = containerName(owner, 1, 'd', 1);
const NEVER = '0001-01-01T00:00:00Z';

function inspected(state: object, ports: object = {}, name = givenName): Docker.ContainerInspectInfo {
  const State = {
    Status: 'running',
    ExitCode: 0,
    OOMKilled: false,
    StartedAt: '2026-01-01T00:00:00.123456789Z',
    FinishedAt: NEVER,
    ...state,
  };
  return { Id: 'id', Name: `/${name}`, State, HostConfig: {}, NetworkSettings: { Ports: ports, Networks: {} } } as never;
}

const see = (state: object, ports?: object) => seenOf(inspected(state, ports), identity, kernel, undefined);

describe('seenOf', () => {
  it('knows a container that somebody renamed', () => {
    expect(seenOf(inspected({}, {}, 'mine-now'), identity, kernel, undefined)).toMatchObject({ name: 'mine-now', misnamed: true });
  });

  it('is ready when it runs and nothing says otherwise', () => {
    expect(see({})).toEqual({
      id: 'id',
      name: givenName,
      slot: 1,
      digest: 'd',
      generation: 3,
      state: 'running',
      ready: true,
      startedAt: '2026-01-01T00:00:00.123Z',
      owner,
      probes: {},
    });
  });

  it("goes by its image's own health check", () => {
    expect(see({ Health: { Status: 'healthy' } })).toMatchObject({ ready: true });
    expect(see({ Health: { Status: 'starting' } })).toMatchObject({ ready: false, notReady: expect.any(String) });
    expect(see({ Health: { Status: 'unhealthy', Log: [{ ExitCode: 1 }] } })).toMatchObject({
      ready: false,
      unhealthy: "its image's health check fails with exit code 1",
    });
  });

  it('tells ports by their names', () => {
    const ports = { '81/udp': null, '80/tcp': [{ HostIp: '127.0.0.1', HostPort: '32768' }] };
    expect(see({}, ports)?.ports).toEqual([{ name: 'http', container: 80, host: 32768, address: '127.0.0.1', protocol: 'tcp' }]);
  });

  it('counts what is going away as dead until it is gone: the engine may have failed to remove it', () => {
    expect(see({ Status: 'removing' })).toMatchObject({ state: 'dead', ready: false });
    expect(see({ Status: 'unheard of' })).toBeUndefined();
  });

  it('is not ready in any other state', () => {
    for (const Status of ['created', 'paused', 'exited', 'dead']) expect(see({ Status })).toMatchObject({ state: Status, ready: false });
    expect(stateOf('restarting')).toBe('running');
  });
});

describe('exitOf', () => {
  const end = { Status: 'exited', ExitCode: 0, OOMKilled: false, FinishedAt: '2026-01-01T00:00:01Z' };
  it.each([
    { name: 'a clean end, without words', state: end, exit: { code: 0, at: '2026-01-01T00:00:01.000Z' } },
    {
      name: 'a failure, with its last words',
      state: { ...end, ExitCode: 3 },
      exit: { code: 3, at: '2026-01-01T00:00:01.000Z', log: 'words' },
    },
    {
      name: 'a kill for want of memory',
      state: { ...end, ExitCode: 137, OOMKilled: true },
      exit: { code: 137, signal: 'SIGKILL', outOfMemory: true, at: '2026-01-01T00:00:01.000Z', log: 'words' },
    },
    {
      name: 'a code above all signals',
      state: { ...end, ExitCode: 255 },
      exit: { code: 255, at: '2026-01-01T00:00:01.000Z', log: 'words' },
    },
    { name: 'no end while it runs', state: { ...end, Status: 'running' }, exit: undefined },
    { name: 'no end of what never began', state: { ...end, Status: 'created', FinishedAt: NEVER, ExitCode: 127 }, exit: undefined },
  ])('is $name', ({ state, exit }) => expect(exitOf(inspected(state).State, 'words')).toEqual(exit));
});
