import { hostname, userInfo } from 'node:os';
import { readConfig } from '../config.ts';
import { locateTemporal } from '../run-file.ts';
import type { ColonyClient, ConnectOptions } from './api.ts';
import { colonyOver } from './colony.ts';
import { openSession } from './session.ts';

const TIMEOUT_MS = 10_000;

/**
 * Connects to colony: to the address given, else TEMPORAL_ADDRESS, else where the last `colony up` runs.
 *
 * Throws UnreachableError at once when nobody is there. Close it when done.
 */
export async function connect(options: ConnectOptions = {}): Promise<ColonyClient> {
  const config = readConfig();
  const session = await openSession({
    address: options.address ?? locateTemporal(config).address,
    temporalNamespace: options.temporalNamespace ?? config.temporalNamespace,
    actor: options.actor ?? whoAmI(),
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
  });
  return colonyOver(session, options.informer);
}

function whoAmI(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return `unknown@${hostname()}`; // an id without an account, as in some containers
  }
}
