import { describe, expect, it } from 'vitest';
import type { Resource } from '../../definitions/core/resource.ts';
import { GoneError } from './errors.ts';
import { Ring } from './informer/ring.ts';
import { ServerClock } from './informer/server-clock.ts';
import { Store } from './informer/store.ts';
import type { Informer } from './informer.ts';
import { changedSince, endedSince, existing } from './queries.ts';
import { eventOf, watch } from './watch.ts';

const resource = (name: string, version: number, labels: Record<string, string> = {}, uid = name): Resource =>
  ({
    apiVersion: 'e.com/v1',
    kind: 'W',
    metadata: { name, uid, resourceVersion: String(version), labels },
    spec: {},
  }) as unknown as Resource;
const isX = (_id: string, { metadata }: Resource): boolean => metadata.labels.app === 'x';
const x = { app: 'x' };

describe('eventOf', () => {
  it.each([
    { was: undefined, is: x, type: 'ADDED', told: 'ADDED' },
    { was: x, is: x, type: 'MODIFIED', told: 'MODIFIED' },
    { was: {}, is: x, type: 'MODIFIED', told: 'ADDED' },
    { was: x, is: {}, type: 'MODIFIED', told: 'DELETED' },
    { was: {}, is: {}, type: 'MODIFIED', told: undefined },
    { was: x, is: x, type: 'DELETED', told: 'DELETED' },
    { was: {}, is: {}, type: 'DELETED', told: undefined },
  ] as const)('$type from $was to $is is told as $told', ({ was, is, type, told }) => {
    const change = { type, workflowId: 'w', resource: resource('a', 2, is), ...(was ? { before: resource('a', 1, was) } : {}) };
    expect(eventOf(change, isX)?.type).toBe(told);
  });
});

describe('watch', () => {
  it('tells a reader that was too slow the difference to what it knew', async () => {
    const ring = new Ring(4);
    const store = new Store();
    const put = (name: string, version: number, uid?: string) => ring.append(store.put(name, resource(name, version, x, uid)));
    for (const [i, name] of ['a', 'b', 'c'].entries()) put(name, i + 1);
    const informer = {
      snapshot: () => ({ resources: [...store.all()], position: ring.end, resourceVersion: String(store.highest) }),
      async *changes(position: number, signal?: AbortSignal) {
        for (let at = position; !signal?.aborted; ) {
          const changes = ring.after(at);
          at += changes.length;
          yield* changes;
          await ring.wait(at, signal);
        }
      },
    } as unknown as Informer;
    const stop = new AbortController();
    const events = watch(informer, isX, stop.signal)[Symbol.asyncIterator]();
    const next = async (): Promise<string> => {
      const { value } = await events.next();
      return `${value?.type} ${value?.resource.metadata.name} ${value?.resource.metadata.resourceVersion}`;
    };
    expect([await next(), await next(), await next()]).toEqual(['ADDED a 1', 'ADDED b 2', 'ADDED c 3']);
    for (let version = 10; version < 30; version++) put('a', version);
    ring.append(store.remove('b', 'b'));
    put('c', 40, 'other');
    put('d', 41);
    const told = [await next(), await next(), await next(), await next(), await next()];
    expect(told.sort()).toEqual(['ADDED c 40', 'ADDED d 41', 'DELETED b 2', 'DELETED c 3', 'MODIFIED a 29']);
    stop.abort();
    expect((await events.next()).done).toBe(true);
  });
});

describe('Ring', () => {
  it('goes on by position, not by comparing versions, and says when it has forgotten', () => {
    const ring = new Ring(4);
    ring.begin(7);
    expect(ring.positionOf('7')).toBe(0);
    const add = (version: number) => ring.append([{ type: 'ADDED', workflowId: `w${version}`, resource: resource('w', version) }]);
    for (const version of [10, 9, 8]) add(version);
    expect(ring.after(ring.positionOf('10')).map(({ resource: { metadata } }) => metadata.resourceVersion)).toEqual(['9', '8']);
    expect(() => ring.positionOf('11')).toThrow(GoneError);
    for (let version = 20; version < 30; version++) add(version);
    expect(() => ring.positionOf('7')).toThrow(GoneError);
    expect(() => ring.after(0)).toThrow(GoneError);
  });
});

describe('ServerClock', () => {
  it('is never ahead of the server and goes on by itself', () => {
    let local = 1_000;
    const clock = new ServerClock(
      () => local,
      () => 5_000_000,
    );
    expect(clock.at(clock.mark())).toBeUndefined();
    clock.saw(2_000_000);
    local += 500;
    clock.saw(1_900_000);
    expect(clock.at(clock.mark())).toBe(2_000_500);
    clock.saw(5_000_000 + 3_600_000);
    clock.saw(Number.NaN);
    clock.saw(undefined);
    expect(clock.at(clock.mark())).toBe(2_000_500);
  });
});

describe('queries', () => {
  it('hold nothing that could leave its quotes', () => {
    const kind = { kind: 'Widget', plural: 'widgets', group: 'example.com' };
    expect(existing({ kind, namespace: 'a' })).toBe(
      "WorkflowType = 'Widget' AND WorkflowId STARTS_WITH 'widgets.example.com/a/' AND ExecutionStatus = 'Running'",
    );
    expect(changedSince({}, 0)).toContain("ColonyChangedAt >= '1970-01-01T00:00:00.000Z'");
    expect(endedSince({}, 0)).toContain('CloseTime BETWEEN');
    for (const bad of ["a'", "' OR 1=1 --", 'a b', 'a"', 'ä', '']) {
      expect(() => existing({ kind: { ...kind, kind: bad } })).toThrow();
      if (bad) expect(() => existing({ kind, namespace: bad })).toThrow();
    }
  });
});
