/** One who runs containers on an engine. A group is a number of equal ones under a name. */
export interface Fleet {
  readonly name: 'ours' | 'bare' | 'swarm';
  /** Before its turn. */
  enter(): Promise<void>;
  /** After its turn, so that nothing of it disturbs the others. */
  leave(): Promise<void>;
  /** Comes back when that was acknowledged, which may be long before it is so. */
  create(group: string, replicas: number): Promise<void>;
  remove(group: string): Promise<void>;
}

/** One that can also replace what runs, and keeps it running. */
export interface Keeper extends Fleet {
  /** Two at a time, stopping first. */
  update(group: string, replicas: number, image: Image): Promise<void>;
}

export type Image = 'colony-test:v1' | 'colony-test:v2';

export const FIRST_IMAGE: Image = 'colony-test:v1';
export const NEXT_IMAGE: Image = 'colony-test:v2';

/** Ends at once when it is asked to: nobody's grace is measured. */
export const COMMAND = ['sh', '-c', "trap 'exit 0' TERM; while :; do sleep 3600 & wait $!; done"];
export const GRACE_SECONDS = 10;
/** Of a rolling update. */
export const AT_ONCE = 2;
