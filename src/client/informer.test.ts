import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Resource } from '../../definitions/core/resource.ts';
import type { Change } from './informer/change.ts';
import type { Source } from './informer/source.ts';
import { Informer } from './informer.ts';
import type { Row } from './row.ts';

/** A world of resources with an index that may lag behind it, as Temporal's does. */
class World implements Source {
  clock = Date.parse('2026-01-01T00:00:00Z');
  readonly runs: Row[] = [];
  /** What the index shows; equal to `runs` unless a test holds it back. */
  index: Row[] = [];
  readonly live = new Map<string, Resource>();
  silent = false;
  away = false;
  describes = 0;
  reads = 0;
  #versions = 0;
  #uids = 0;

  apply(name: string, { publish = true } = {}): void {
    this.clock += 1_000;
    const id = idOf(name);
    const before = this.live.get(id);
    const uid = before?.metadata.uid ?? `uid-${++this.#uids}`;
    const resource = resourceOf(name, uid, ++this.#versions, (before?.metadata.generation ?? 0) + 1);
    this.live.set(id, resource);
    if (!before) this.runs.push(rowOf(id, `run-${uid}-0`, this.clock));
    this.#patchOpen(id, (row) => ({
      ...row,
      version: this.#versions,
      changedAt: this.clock,
      ...(publish ? { memo: memoOf(resource) } : {}),
    }));
    this.sync();
  }

  /** The old run closes and the new one takes over: same uid, same version. */
  rollOver(name: string): void {
    this.clock += 1_000;
    const id = idOf(name);
    const old = this.runs.find((row) => row.workflowId === id && row.open);
    if (!old) return;
    this.#patchOpen(id, (row) => ({ ...row, open: false, closedAt: this.clock }));
    this.runs.splice(
      this.runs.findIndex((row) => row.runId === old.runId),
      1,
    ); // ContinuedAsNew rows are not asked for
    this.runs.push({ ...old, runId: `${old.runId}+`, startedAt: this.clock });
    this.sync();
  }

  delete(name: string, { completed = true, leavesRow = true } = {}): void {
    this.clock += 1_000;
    const id = idOf(name);
    if (!this.live.delete(id)) return;
    this.#patchOpen(id, (row) => ({ ...row, open: false, completed, closedAt: this.clock }));
    if (!leavesRow)
      this.runs.splice(
        this.runs.findIndex((row) => row.workflowId === id && !row.open && row.closedAt === this.clock),
        1,
      );
    this.sync();
  }

  sync(): void {
    this.index = [...this.runs];
  }

  async *existing(): AsyncIterable<readonly Row[]> {
    this.#answer();
    yield this.index.filter((row) => row.open);
  }

  async changed(sinceMs: number | undefined): Promise<readonly Row[]> {
    this.#answer();
    return this.index.filter((row) => row.open && (sinceMs === undefined || row.changedAt! >= sinceMs));
  }

  async started(sinceMs: number): Promise<readonly Row[]> {
    this.#answer();
    return this.index.filter((row) => row.open && row.startedAt >= sinceMs);
  }

  async ended(sinceMs: number | undefined): Promise<readonly Row[]> {
    this.#answer();
    return this.index.filter((row) => !row.open && sinceMs !== undefined && row.closedAt! >= sinceMs);
  }

  async describe(workflowId: string): Promise<Row | undefined> {
    this.#answer();
    this.describes += 1;
    return this.runs.findLast((row) => row.workflowId === workflowId && row.open);
  }

  async resource(row: Row): Promise<Resource | undefined | 'silent'> {
    this.#answer();
    this.reads += 1;
    return this.silent ? 'silent' : this.live.get(row.workflowId);
  }

  #answer(): void {
    if (this.away) throw new Error('connection refused');
  }

  #patchOpen(id: string, patch: (row: Row) => Row): void {
    const at = this.runs.findIndex((row) => row.workflowId === id && row.open);
    if (at >= 0) this.runs[at] = patch(this.runs[at]!);
  }
}

const idOf = (name: string): string => `widgets.example.com/default/${name}`;

const rowOf = (workflowId: string, runId: string, startedAt: number): Row => ({
  workflowId,
  runId,
  identity: { plural: 'widgets', group: 'example.com', namespace: 'default', name: workflowId.split('/')[2]! },
  kind: 'Widget',
  open: true,
  completed: false,
  startedAt,
  labels: [],
});

const resourceOf = (name: string, uid: string, version: number, generation: number): Resource => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: {
    name,
    namespace: 'default',
    uid,
    resourceVersion: String(version),
    generation,
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: {},
    annotations: {},
    ownerReferences: [],
    finalizers: [],
  },
  spec: { version },
});

const memoOf = ({ apiVersion, metadata, spec }: Resource): NonNullable<Row['memo']> => ({ apiVersion, meta: metadata, spec });

describe('Informer', () => {
  const informers: Informer[] = [];
  afterEach(() => {
    vi.useRealTimers();
    for (const informer of informers.splice(0)) informer.close();
  });

  async function watch(
    world: World,
    options = {},
  ): Promise<{ informer: Informer; said: string[]; changes: Change[]; round: () => Promise<void> }> {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: world.clock });
    const informer = new Informer(world, { pollMs: 100, relistMs: 60_000, ...options });
    informers.push(informer);
    await informer.ready();
    const said: string[] = [];
    const changes: Change[] = [];
    void (async () => {
      for await (const change of informer.changes(informer.snapshot().position)) {
        changes.push(change);
        said.push(`${change.type} ${change.resource.metadata.name} ${change.resource.metadata.resourceVersion}`);
      }
    })();
    const round = async (): Promise<void> => {
      await vi.advanceTimersByTimeAsync(350);
    };
    return { informer, said, changes, round };
  }

  it('says what was added, changed and deleted, once', async () => {
    const world = new World();
    world.apply('a');
    const { informer, said, round } = await watch(world);
    expect(informer.snapshot().resources.map(([id]) => id)).toEqual([idOf('a')]);
    world.apply('b');
    await round();
    world.apply('a');
    await round();
    world.delete('b');
    await round();
    await round();
    expect(said).toEqual(['ADDED b 2', 'MODIFIED a 3', 'DELETED b 2']);
  });

  it('reads from the workflow what the index shows only in part', async () => {
    const world = new World();
    world.apply('a');
    const { said, round } = await watch(world);
    world.apply('a', { publish: false });
    await round();
    expect(said).toEqual(['MODIFIED a 2']);
  });

  it('waits for a worker to answer, and tells nobody anything false meanwhile', async () => {
    const world = new World();
    const { said, round } = await watch(world);
    world.silent = true;
    world.apply('a', { publish: false });
    await round();
    expect(said).toEqual([]);
    world.silent = false;
    await vi.advanceTimersByTimeAsync(3_000);
    expect(said).toEqual(['ADDED a 1']);
  });

  it('does not bring back what ended while its workflow was asked', async () => {
    const world = new World();
    const { informer, said, round } = await watch(world);
    world.silent = true;
    world.apply('a', { publish: false });
    await round();
    world.delete('a');
    await round();
    world.silent = false;
    await vi.advanceTimersByTimeAsync(3_000);
    expect(said).toEqual([]);
    expect(informer.snapshot().resources).toEqual([]);
  });

  it('takes a new uid under an old id for a deletion and a creation', async () => {
    const world = new World();
    world.apply('a');
    const { said, changes, round } = await watch(world);
    world.delete('a');
    world.apply('a');
    await round();
    expect(said).toEqual(['DELETED a 1', 'ADDED a 2']);
    expect(changes.map(({ resource }) => resource.metadata.uid)).toEqual(['uid-1', 'uid-2']);
  });

  it('says nothing about a rollover, whether the index shows two rows, one or none', async () => {
    const world = new World();
    world.apply('a');
    const { said, round } = await watch(world, { relistMs: 200 });
    const [old] = world.index;
    world.rollOver('a');
    world.index = [];
    await round();
    world.index = [old!, ...world.runs];
    await round();
    world.sync();
    await round();
    expect(said).toEqual([]);
    expect(world.describes).toBeGreaterThan(0);
  });

  it('believes a describe, not a missing row, that a resource is gone', async () => {
    const world = new World();
    world.apply('a');
    world.apply('b');
    const { said, round } = await watch(world, { relistMs: 200 });
    world.index = [];
    await round();
    expect(said).toEqual([]);
    world.delete('b', { leavesRow: false });
    await round();
    await round();
    expect(said).toEqual(['DELETED b 2']);
  });

  it('does not take a reset for a deletion', async () => {
    const world = new World();
    world.apply('a');
    const { said, round } = await watch(world);
    const resource = world.live.get(idOf('a'))!;
    world.delete('a', { completed: false });
    world.live.set(idOf('a'), resource);
    world.runs.push({ ...rowOf(idOf('a'), 'reset', world.clock), version: 1, changedAt: world.clock, memo: memoOf(resource) });
    world.sync();
    await round();
    world.apply('a');
    await round();
    expect(said).toEqual(['MODIFIED a 2']);
  });

  it('drops rows that come out of order', async () => {
    const world = new World();
    world.apply('a');
    const early = [...world.runs];
    world.apply('a');
    const { said, round } = await watch(world);
    world.index = early;
    await round();
    world.sync();
    await round();
    expect(said).toEqual([]);
  });

  it('goes on after Temporal was away, with all that happened meanwhile', async () => {
    const world = new World();
    world.apply('a');
    world.apply('b');
    const { informer, said, round } = await watch(world);
    world.away = true;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(informer.trouble).toBeDefined();
    world.apply('c');
    world.delete('a');
    world.clock += 3_600_000;
    world.away = false;
    await vi.advanceTimersByTimeAsync(15_000);
    await round();
    expect(said).toEqual(['ADDED c 3', 'DELETED a 1']);
    expect(informer.trouble).toBeUndefined();
  });

  it('is not blinded by a row from the far future', async () => {
    const world = new World();
    world.apply('a');
    world.runs[0] = { ...world.runs[0]!, changedAt: world.clock + 365 * 86_400_000 };
    world.sync();
    const { said, round } = await watch(world);
    world.apply('b');
    await round();
    expect(said).toEqual(['ADDED b 2']);
  });

  it('ends in the same state as the world, and says for each resource a sound story', async () => {
    const step = fc.record({
      what: fc.constantFrom('apply', 'quiet', 'delete', 'lost', 'roll', 'lag', 'round'),
      name: fc.constantFrom('a', 'b', 'c'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const world = new World();
        world.apply('a');
        const { informer, changes, round } = await watch(world, { relistMs: 2_000 });
        const story = new Map(informer.snapshot().resources.map(([id, { metadata }]) => [id, [metadata]]));
        for (const { what, name } of steps) {
          if (what === 'apply') world.apply(name);
          if (what === 'quiet') world.apply(name, { publish: false });
          if (what === 'delete') world.delete(name);
          if (what === 'lost') world.delete(name, { leavesRow: false });
          if (what === 'roll') world.rollOver(name);
          if (what === 'lag') world.index = world.index.slice(1);
          if (what === 'round') await round();
        }
        world.sync();
        await vi.advanceTimersByTimeAsync(5_000);
        expect(new Map(informer.snapshot().resources)).toEqual(world.live);
        for (const { type, workflowId, resource } of changes) {
          const known = story.get(workflowId) ?? [];
          if (type === 'ADDED') expect(known).toEqual([]);
          else expect(known.at(-1)?.uid).toBe(resource.metadata.uid);
          if (type === 'MODIFIED') expect(Number(resource.metadata.resourceVersion)).toBeGreaterThan(Number(known.at(-1)!.resourceVersion));
          story.set(workflowId, type === 'DELETED' ? [] : [...known, resource.metadata]);
        }
        informer.close();
        vi.useRealTimers();
      }),
      { numRuns: 60 },
    );
  });
});
