import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Condition, Resource } from '../../../definitions/core/resource.ts';
import type { RuntimeName } from '../../../definitions/core/template.ts';
import type { InstanceReport } from '../../../definitions/replicas/report.ts';
import { placeNodeDoor, serveNodeDoor } from '../../node/door/index.ts';
import { FakeRuntime } from '../../node/door/test-double/runtime.ts';
import { FakeColony } from './colony.ts';

/** A replicated kind and one resource of it, `app/web`. */
export function appColony(
  status: Record<string, unknown> = {},
  more: { commands?: readonly string[]; generation?: number } = {},
): FakeColony {
  const { commands = ['scale', 'pause', 'resume', 'restart'], generation = 1 } = more;
  const colony = new FakeColony().define('App', 'example.com', { commands }).define('Widget', 'example.com');
  return putApp(colony, status, generation);
}

export function putApp(colony: FakeColony, status: Record<string, unknown>, generation = 1): FakeColony {
  const metadata = { generation } as Resource['metadata'];
  return colony.put({
    kind: 'App',
    name: 'web',
    metadata: { ...metadata, uid: 'uid-web' } as Resource['metadata'],
    spec: { replicas: 2 },
    status,
  });
}

export const ready = (status: Condition['status'], more: Partial<Condition> = {}): Condition => ({
  type: 'Ready',
  status,
  reason: 'Settled',
  message: 'Everything is as the spec says.',
  lastTransitionTime: '2026-03-01T11:59:00Z',
  observedGeneration: 1,
  ...more,
});

export const report = (slot: number, more: Partial<InstanceReport> = {}): InstanceReport => ({
  name: `web-0123456789-${slot}-d1d1d1d1`,
  id: `id-${slot}-d1d1d1d1`,
  node: 'a',
  slot,
  revision: 'd1d1d1d1',
  state: 'running',
  ready: true,
  restarts: 0,
  startedAt: '2026-03-01T11:55:00Z',
  ...more,
});

/** A node of its own, with a door that is really open. */
export interface FakeNode {
  readonly runtime: FakeRuntime;
  readonly env: Record<string, string>;
  close(): Promise<void>;
}

export async function openNode(name: RuntimeName = 'local'): Promise<FakeNode> {
  const home = mkdtempSync(join(tmpdir(), 'cli-'));
  const runtime = new FakeRuntime(name);
  const door = await serveNodeDoor({
    path: placeNodeDoor(home, 'a'),
    runtimes: new Map([[name, runtime]]),
    log: { info: () => {}, warn: () => {} },
  });
  return {
    runtime,
    env: { COLONY_HOME: home, COLONY_NODE: 'a' },
    close: async () => {
      await door.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
