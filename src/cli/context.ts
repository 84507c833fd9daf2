import type { Colony } from '../client/api.ts';
import type { Io } from './io.ts';
import type { Reading } from './reading.ts';

/** Options that every command understands. */
export interface Globals {
  readonly namespace?: string;
  readonly address?: string;
  readonly temporalNamespace?: string;
  readonly verbose?: boolean;
  readonly output?: string;
}

/** What a command works with. */
export interface Context {
  readonly io: Io;
  readonly globals: Globals;
  /** The namespace that `-n` or the environment names, else `default`. */
  readonly namespace: string;
  /** Connects on first use. */
  colony(): Promise<Colony>;
  /** For what only reads: the same, or a quicker way. */
  reading(): Promise<Reading>;
}

/** What every file in commands/ exports: answers with the exit code, 0 when it says nothing. */
export type Run<Options> = (context: Context, args: readonly string[], options: Options) => Promise<number | undefined>;

/** `-n`, else COLONY_NAMESPACE, else `default`. */
export const namespaceOf = ({ env }: Pick<Io, 'env'>, { namespace }: Globals): string => namespace ?? (env.COLONY_NAMESPACE || 'default');
