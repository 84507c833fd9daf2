import { setTimeout as pause } from 'node:timers/promises';
import type { Usage } from '../runtime.ts';
import { markedProcesses } from './marks.ts';
import { processTable, residentBytes } from './process-table.ts';
import { membersOf, type Session, straysOf } from './session.ts';

const SAMPLE_MS = 200;

/** What everybody of these instances uses together, seen over a short while; the shims are not counted. */
export async function usageOf(sessions: readonly Session[]): Promise<readonly Usage[]> {
  if (sessions.length === 0) return [];
  const cpuBefore = new Map(processTable().map(({ pid, cpuSeconds }) => [pid, cpuSeconds]));
  const began = performance.now();
  await pause(SAMPLE_MS);
  const table = processTable();
  const marked = markedProcesses(table);
  const seconds = (performance.now() - began) / 1_000;
  return sessions.map((session) => {
    const strays = straysOf(session, marked).map(({ entry }) => entry);
    const members = [...membersOf(session, table), ...strays].filter(({ pid }) => pid !== session.leader.pid);
    return {
      id: session.place.id,
      cpus: sum(members.map(({ pid, cpuSeconds }) => Math.max(0, cpuSeconds - (cpuBefore.get(pid) ?? 0)))) / seconds,
      memoryBytes: sum(members.map(({ pid }) => residentBytes(pid))),
      pids: members.length,
    };
  });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
