import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { InstanceOwner } from '../../../definitions/core/instance.ts';
import { readIfThere } from './read-if-there.ts';

/** Where one instance lives on disk; derived from owner, slot and digest, so that a second try finds the first one's. */
export interface Place {
  /** Names the instance for good, also over restarts in place. */
  readonly id: string;
  readonly slot: number;
  readonly digest8: string;
  /** How the instance's name ends, whatever its owner is called. */
  readonly nameEnd: string;
  readonly folder: string;
  /** The folder before it was set aside. */
  readonly home: string;
  readonly record: string;
  /** Holds `<n>.claim` and `<n>.exit` of each run and nothing that is written often: it is watched. */
  readonly runs: string;
  readonly logs: string;
  readonly work: string;
}

const ASIDE = '.gone-';
const ASIDE_ENTRY = /^\.gone-(\d+-\w+)-\w+$/;
const HASH = /^[0-9a-f]{10}$/;
const ENTRY = /^(\d+)-([0-9A-Za-z]{1,8})$/;
const ID = /^local-([0-9a-f]{10})-(\d+-[0-9A-Za-z]{1,8})$/;

const hash10 = (uid: string): string => createHash('sha256').update(uid).digest('hex').slice(0, 10);

const digest8 = (digest: string): string => digest.replace(/^\w+:/, '').slice(0, 8);

export const placeOf = (root: string, uid: string, slot: number, digest: string): Place =>
  placeIn(root, hash10(uid), `${slot}-${digest8(digest)}`)!;

/** Undefined for an id that no instance here can have. */
export function placeOfId(root: string, id: string): Place | undefined {
  const [, hash, entry] = ID.exec(id) ?? [];
  return hash === undefined || entry === undefined ? undefined : placeIn(root, hash, entry);
}

/** Undefined for an entry of the owner's folder that is not an instance. */
export function placeIn(root: string, hash: string, entry: string): Place | undefined {
  const [, slot, digest8] = ENTRY.exec(entry) ?? [];
  if (slot === undefined || digest8 === undefined) return undefined;
  const nameEnd = `-${hash}-${entry}`;
  const home = join(root, hash, entry);
  return { id: `local${nameEnd}`, slot: Number(slot), digest8, nameEnd, home, ...pathsIn(home) };
}

/** Renames an instance's folder, so that it is no instance any more even if nobody gets to remove it; says where it is now. */
export function setAside(place: Place): Place {
  const folder = join(dirname(place.folder), `${ASIDE}${basename(place.folder)}-${randomBytes(4).toString('hex')}`);
  renameSync(place.folder, folder);
  return { ...place, ...pathsIn(folder) };
}

/** What was set aside and is still there. */
export const placesAside = (root: string): readonly Place[] =>
  hashesIn(root).flatMap((hash) =>
    entriesOf(join(root, hash)).flatMap((entry) => {
      const place = placeIn(root, hash, ASIDE_ENTRY.exec(entry)?.[1] ?? '');
      return place ? [{ ...place, ...pathsIn(join(root, hash, entry)) }] : [];
    }),
  );

/** What an owner has here, or everybody; in no order. */
export function placesIn(root: string, uid?: string): readonly Place[] {
  const hashes = uid === undefined ? hashesIn(root) : [hash10(uid)];
  return hashes.flatMap((hash) => entriesOf(join(root, hash)).flatMap((entry) => placeIn(root, hash, entry) ?? []));
}

export const isThere = (place: Place): boolean => existsSync(place.folder);

export const isUnder = (place: Place, root: string, uid: string): boolean => dirname(place.folder) === join(root, hash10(uid));

const hashesIn = (root: string): readonly string[] => entriesOf(root).filter((name) => HASH.test(name));

const entriesOf = (folder: string): readonly string[] => readIfThere(() => readdirSync(folder)) ?? [];

function pathsIn(folder: string): Pick<Place, 'folder' | 'record' | 'runs' | 'logs' | 'work'> {
  return {
    folder,
    record: join(folder, 'record.json'),
    runs: join(folder, 'runs'),
    logs: join(folder, 'logs'),
    work: join(folder, 'work'),
  };
}

/** What people call an instance. */
export const instanceName = ({ name, uid }: InstanceOwner, slot: number, digest: string): string =>
  `${name}-${hash10(uid)}-${slot}-${digest8(digest)}`;
