import type { Run } from './context.ts';

/** A command as the catalogue lists it; what it does is loaded only when it is called. */
export interface CommandSpec {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** `<required>`, `[optional]`, `[many...]`. */
  readonly args?: string;
  readonly summary: string;
  /** Said in its help, below the summary. */
  readonly details?: string;
  /** Flags and what they mean. */
  readonly options?: readonly (readonly [flags: string, description: string])[];
  readonly examples: readonly string[];
  readonly load?: () => Promise<{ readonly run: Run<never> }>;
  readonly subcommands?: readonly CommandSpec[];
  /** Passed to `run` with the options, so that two commands may share one implementation. */
  readonly preset?: Readonly<Record<string, unknown>>;
  /** Everything after its name is handed on in `args`, as it was written; only `--help` alone is its own. */
  readonly passThrough?: boolean;
  /** It shows its own progress, or runs until it is ended; all others say after two seconds that they wait. */
  readonly isLong?: boolean;
}

/** Commands under one heading of the help. */
export interface CommandGroup {
  readonly heading: string;
  readonly commands: readonly CommandSpec[];
}
