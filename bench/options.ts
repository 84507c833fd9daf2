import { parseArgs } from 'node:util';

export interface Options {
  /** Names of suites; empty: all. */
  readonly suites: readonly string[];
  readonly json: boolean;
  readonly quick: boolean;
  readonly write: boolean;
  readonly profiles?: string;
}

export const USAGE = `npm run bench [-- SUITE…] [--json] [--quick] [--write] [--profile FOLDER]

  --json            only the results, as JSON
  --quick           small numbers, to try the harness; the results mean nothing
  --write           keeps the results in docs/performance.md
  --profile FOLDER  leaves a CPU profile of every process of ours there`;

/** Throws a sentence for a person when the arguments make no sense. */
export function parseOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      profile: { type: 'string' },
    },
  });
  const { json, quick, write, profile } = values;
  if (quick && write) throw new Error('--quick and --write do not go together: quick results mean nothing');
  if (profile !== undefined && write) throw new Error('--profile and --write do not go together: profiling takes time');
  return { suites: positionals, json, quick, write, ...(profile === undefined ? {} : { profiles: profile }) };
}
