import { expect } from 'vitest';
import type { EngineClient } from './engine-client.ts';

/** Containers as they were inspected, byte for byte. */
export type Snapshot = ReadonlyMap<string, string>;

/** Remembers strangers as they are now. */
export async function snapshot(engine: EngineClient, ids: readonly string[]): Promise<Snapshot> {
  const looks = await Promise.all(ids.map(async (id) => [id, await look(engine, id)] as const));
  return new Map(looks);
}

/** Nobody has done anything to them since: not even a restart, a new name, or another limit. */
export async function expectUntouched(engine: EngineClient, before: Snapshot): Promise<void> {
  const now = await snapshot(engine, [...before.keys()]);
  expect(Object.fromEntries(now)).toEqual(Object.fromEntries(before));
}

async function look(engine: EngineClient, id: string): Promise<string> {
  return (await engine.inspectBytes(id))?.toString() ?? 'gone';
}
