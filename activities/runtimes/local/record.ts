import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { InstanceOwner, InstancePort } from '../../../definitions/core/instance.ts';
import type { Template } from '../../../definitions/core/template.ts';
import type { Place } from './place.ts';

/** What an instance is, kept beside it for agents to come. Readable by the agent's user alone: the environment may hold secrets. */
export interface InstanceRecord {
  readonly cluster: string;
  readonly node: string;
  readonly owner: InstanceOwner;
  readonly name: string;
  readonly slot: number;
  readonly digest: string;
  readonly generation: number;
  readonly template: Template;
  readonly ports: readonly InstancePort[];
  /** Never started a second time. */
  readonly once?: true;
}

/** Undefined when there is none, or none that can be understood. */
export function readRecord(place: Place): InstanceRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(place.record, 'utf8')) as Partial<InstanceRecord> | null;
    const isWhole =
      typeof record?.cluster === 'string' &&
      typeof record.owner?.uid === 'string' &&
      typeof record.name === 'string' &&
      record.slot === place.slot &&
      typeof record.digest === 'string' &&
      typeof record.template === 'object' &&
      Array.isArray(record.ports);
    return isWhole ? (record as InstanceRecord) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Keeps the record unless a readable one is there; whichever it is comes back. Guarantees: never half a record on disk. */
export function keepRecord(place: Place, record: InstanceRecord): InstanceRecord {
  const draft = writeDraft(place, record);
  try {
    linkSync(draft, place.record);
    return record;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const kept = readRecord(place);
    if (!kept) renameSync(draft, place.record);
    return kept ?? record;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Puts this record in the place of the last one. */
export const replaceRecord = (place: Place, record: InstanceRecord): void => renameSync(writeDraft(place, record), place.record);

function writeDraft(place: Place, record: InstanceRecord): string {
  mkdirSync(place.folder, { recursive: true, mode: 0o700 });
  const draft = `${place.record}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, JSON.stringify(record), { mode: 0o600, flush: true });
  return draft;
}
