import type { Informers } from './informers.ts';
import type { Reader } from './read.ts';
import type { Registry } from './registry.ts';
import type { Session } from './session.ts';

/** What the client's functions share: one of each per connection. */
export interface Context {
  readonly session: Session;
  readonly reader: Reader;
  readonly registry: Registry;
  readonly informers: Informers;
}
