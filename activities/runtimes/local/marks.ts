import { existsSync, statSync } from 'node:fs';
import type { Place } from './place.ts';
import { identify, type ProcessIdentity } from './process-identity.ts';
import { openFileOf, type ProcessEntry, processTable, variableOf } from './process-table.ts';

/** Every process of an instance carries these two; the name may be that of another node's instance too, the run is of one folder. */
export const NAME_MARK = 'COLONY_INSTANCE';
export const RUN_MARK = 'COLONY_RUN';

/** What was run beside an instance, and not by it. */
const BESIDE = 'beside';
const MARKED = /^(.+):(\d+|beside)$/s;
const LOG = /^(.+)\/logs\/(\d+)\.(?:stdout|stderr)$/s;

/** A process that says which instance it is of, wherever it has moved since. */
export interface Marked {
  readonly entry: ProcessEntry;
  readonly identity: ProcessIdentity;
  readonly folder: string;
  /** Undefined for what was run beside the instance. */
  readonly run: number | undefined;
}

export const markOf = ({ home }: Place, run?: number): string => `${home}:${run ?? BESIDE}`;

/**
 * Everybody who is marked as of some instance: by its environment, or, as servers write their titles over that, by the log it writes to.
 *
 * Guarantees: nobody of another user than the agent's.
 * Caveats: who cleans its environment and writes elsewhere is not found; outside Linux nobody is.
 */
export function markedProcesses(table = processTable()): readonly Marked[] {
  if (process.platform !== 'linux') return [];
  return table.flatMap((entry) => {
    // Before the look at its marks: they must be of whoever is signalled later.
    const identity = identify(entry.pid);
    const [, folder, run] = (identity && isOwn(entry.pid) && marksOf(entry.pid)) || [];
    if (!identity || folder === undefined) return [];
    return [{ entry, identity, folder, run: run === BESIDE ? undefined : Number(run) }];
  });
}

/** Those of one instance. Of one that was set aside nobody counts who may be of its successor: both had the same folder. */
export const markedOf = (place: Place, marked: readonly Marked[]): readonly Marked[] =>
  marked.filter(({ folder }) => folder === place.folder || (folder === place.home && !existsSync(place.home)));

const isOwn = (pid: number): boolean => statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === process.getuid?.();

function marksOf(pid: number): RegExpExecArray | null {
  const mark = variableOf(pid, RUN_MARK);
  if (mark !== undefined) return MARKED.exec(mark);
  return LOG.exec(openFileOf(pid, 1) ?? '') ?? LOG.exec(openFileOf(pid, 2) ?? '');
}
