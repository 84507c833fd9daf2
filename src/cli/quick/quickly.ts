import { readConfig } from '../../config.ts';
import { locateTemporal } from '../../run-file.ts';
import { run } from '../commands/get.ts';
import { namespaceOf } from '../context.ts';
import type { Io } from '../io.ts';
import { builtIn } from './built-in-kinds.ts';
import { indexReader } from './index-reader.ts';
import { parseGet } from './parse-get.ts';
import { quickReading, Unsure } from './reader.ts';

/**
 * Answers a plain `colony get` from Temporal's index, without loading the client.
 *
 * Guarantees: has printed the whole answer and says 0, or has printed nothing and says undefined: then the usual way is taken,
 * which also knows how to explain what is wrong.
 */
export async function quickly(argv: readonly string[], io: Io): Promise<number | undefined> {
  const line = parseGet(argv);
  if (!line) return undefined;
  const said: (() => void)[] = [];
  try {
    const config = readConfig();
    const index = indexReader(
      line.globals.address ?? locateTemporal(config).address,
      line.globals.temporalNamespace ?? config.temporalNamespace,
    );
    const context = {
      io: {
        ...io,
        colour: io.colour && line.globals.color !== false,
        out: (text: string) => void said.push(() => io.out(text)),
        err: (text: string) => void said.push(() => io.err(text)),
      },
      globals: line.globals,
      namespace: namespaceOf(io, line.globals),
      colony: () => Promise.reject(new Unsure('the client is needed')),
      reading: async () => quickReading(index, builtIn),
    };
    if ((await run(context, line.args, line.options)) !== 0) return undefined;
  } catch {
    return undefined;
  }
  for (const say of said) say();
  return 0;
}
