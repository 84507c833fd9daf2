import type { Kind, Names, PrinterColumn } from '../../definitions/core/kind.ts';
import type { Resource } from '../../definitions/core/resource.ts';
import type { ListOptions, Resources } from '../client/api.ts';

/** What `get` asks for. The client can do it, and so can the quick reader, which is loaded in a tenth of the time. */
export interface Reading {
  /** At least one. */
  resolveAll(name: string): Promise<readonly ReadableKind[]>;
  kinds(): Promise<readonly ReadableKind[]>;
  list(options?: ListOptions): Promise<readonly Resource[]>;
  resources(apiVersion: string, kind: string): Pick<Resources, 'get' | 'list'>;
}

/** A kind as far as finding and showing its resources goes. */
export interface ReadableKind {
  readonly kind: Pick<Kind, 'group' | 'version' | 'scope' | 'names'>;
  readonly names: Names;
  readonly columns: readonly PrinterColumn[];
}
