import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { readConfig } from '../../config.ts';
import { findTemporal } from '../../embedded/find-temporal.ts';
import { locateTemporal } from '../../run-file.ts';
import type { Context } from '../context.ts';

/** Hands all its words to the `temporal` that `colony up` would start, which is told where the server is. Answers with its exit code. */
export async function run({ globals, io }: Context, args: readonly string[]): Promise<number> {
  const config = readConfig();
  const binary = await findTemporal({ path: process.env.PATH ?? '', cache: config.cache, say: (sentence) => io.err(`${sentence}\n`) });
  const env = {
    ...process.env,
    TEMPORAL_ADDRESS: globals.address ?? locateTemporal(config).address,
    TEMPORAL_NAMESPACE: globals.temporalNamespace ?? config.temporalNamespace,
  };
  return new Promise((resolve, reject) => {
    const child = spawn(binary, args, { stdio: 'inherit', env });
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}
