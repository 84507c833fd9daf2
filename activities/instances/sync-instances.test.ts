import { expect, it } from 'vitest';
import type { InstanceRevision } from '../../definitions/core/instance.ts';
import { plainTemplate } from '../../test/support/plain-template.ts';
import type { Runtime, Seen } from '../runtimes/runtime.ts';
import type { Report } from './reporting.ts';
import { sync } from './sync-instances.ts';
import { Warden } from './warden.ts';

const owner = { uid: 'u', resource: 'apps.example.com/default/web', name: 'web' };
const revision: InstanceRevision = { digest: 'd1', generation: 1, template: { ...plainTemplate, runtime: 'local' } };
const wish = {
  runtime: 'local',
  node: 'a',
  resting: [],
  restart: [],
  remove: [],
  stop: plainTemplate.stop,
  waitReadyMs: 0,
} as const;

const seen = (slot: number, state: Seen['state'] = 'running'): Seen => ({
  id: `id-${slot}`,
  name: `web-${slot}`,
  slot,
  digest: 'd1',
  generation: 1,
  state,
  ready: state === 'running',
  owner,
  probes: {},
});

/** Starts slots when it is told to. */
function world(...there: readonly Seen[]) {
  const ensured: number[] = [];
  const waiting = new Map<number, () => void>();
  const runtime = {
    name: 'local',
    list: async () => there,
    ensure: (_owner: unknown, _revision: unknown, slot: number) => {
      ensured.push(slot);
      if (there.some((one) => one.slot === slot && one.state === 'running')) return Promise.resolve();
      return new Promise<void>((resolve) => waiting.set(slot, resolve));
    },
  } as unknown as Runtime;
  return { runtime, ensured, started: (slot: number) => waiting.get(slot)?.() };
}

it('tells of the slots that it starts, not of those that run, and of the first that is under way', async () => {
  const { runtime, ensured, started } = world(seen(0), seen(2, 'exited'), seen(3));
  const warden = new Warden({ node: 'a', runtimes: new Map([['local', runtime]]), pollersOf: async () => [] });
  const reports: Report[] = [];
  const call = { report: (report: Report) => void reports.push(report), signal: new AbortController().signal };
  const working = sync(warden, runtime, owner, { ...wish, revisions: [{ ...revision, slots: [0, 1, 2, 3] }] }, call);
  await expect.poll(() => ensured).toEqual([0, 1, 2, 3]);
  expect(reports.at(-1)).toEqual({ doing: 'starting slot 1', done: 0, total: 2 });
  started(1);
  await expect.poll(() => reports.at(-1)).toEqual({ doing: 'starting slot 2', done: 1, total: 2 });
  started(2);
  expect((await working).instances).toHaveLength(3);
  expect(reports.every(({ doing }) => /slot [12]$/.test(doing))).toBe(true);
});
