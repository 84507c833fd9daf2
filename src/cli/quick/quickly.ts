import { readConfig } from '../../config.ts';
import { locateTemporal } from '../../run-file.ts';
import { run } from '../commands/get.ts';
import { namespaceOf } from '../context.ts';
import { refuseContradictions } from '../contradictions.ts';
import type { Io } from '../io.ts';
import { builtIn } from './built-in-kinds.ts';
import { type IndexReader, indexReader } from './index-reader.ts';
import { parseGet } from './parse-get.ts';
import { quickReading, Unsure } from './reader.ts';

/** What is to be printed. */
export interface Answer {
  readonly out: string;
  readonly err: string;
}

/**
 * Answers a plain `colony get` from Temporal's index, without loading the client. `meanwhile` is called while the server thinks.
 *
 * Guarantees: prints nothing itself. The answer is whole and a success, or undefined: then the usual way is taken, which also knows
 * how to explain what is wrong.
 */
export async function quickly(argv: readonly string[], io: Io, meanwhile: () => void = () => undefined): Promise<Answer | undefined> {
  const line = parseGet(argv);
  if (!line) return undefined;
  const said = { out: '', err: '' };
  try {
    refuseContradictions(line.globals, line.options);
    const config = readConfig();
    const address = line.globals.address ?? locateTemporal(config).address;
    const index = withSomethingElse(indexReader(address, line.globals.temporalNamespace ?? config.temporalNamespace), meanwhile);
    const context = {
      io: {
        ...io,
        colour: io.colour && line.globals.color !== false,
        out: (text: string) => {
          said.out += text;
        },
        err: (text: string) => {
          said.err += text;
        },
      },
      globals: line.globals,
      namespace: namespaceOf(io, line.globals),
      colony: () => Promise.reject(new Unsure('the client is needed')),
      reading: async () => quickReading(index, builtIn),
    };
    return (await run(context, line.args, line.options)) === 0 ? said : undefined;
  } catch {
    return undefined;
  }
}

/** The first question is for the kinds and is answered at once; the second takes long enough for something else. */
function withSomethingElse(index: IndexReader, work: () => void): IndexReader {
  let asked = 0;
  const after = <T>(answer: T): T => {
    asked += 1;
    if (asked === 2) work();
    return answer;
  };
  return { rows: (query) => after(index.rows(query)), describe: (workflowId) => after(index.describe(workflowId)) };
}
