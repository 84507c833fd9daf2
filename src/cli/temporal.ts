import { hostname, userInfo } from 'node:os';
import { Connection } from '@temporalio/client';
import { readConfig } from '../config.ts';
import { type Location, locateTemporal } from '../run-file.ts';
import type { Globals } from './context.ts';

/** A bare connection, for commands that look at Temporal itself instead of at resources. */
export interface Temporal {
  readonly connection: Connection;
  readonly location: Location | { readonly address: string; readonly from: '--address' };
  readonly namespace: string;
  readonly node: string;
  readonly version: string;
  readonly identity: string;
}

const CONNECT_MS = 3_000;

/** Where the options and the environment say Temporal is. */
export function whereIsTemporal({ address, temporalNamespace }: Globals): Pick<Temporal, 'location' | 'namespace' | 'node'> {
  const config = readConfig();
  return {
    location: address ? { address, from: '--address' } : locateTemporal(config),
    namespace: temporalNamespace ?? config.temporalNamespace,
    node: config.node,
  };
}

/** Connects; throws what gRPC threw when nobody is there. Calls are not retried, so that a refusal is seen as it is. */
export async function openTemporal(globals: Globals): Promise<Temporal> {
  const where = whereIsTemporal(globals);
  const connection = Connection.lazy({ address: where.location.address, interceptors: [] });
  const info = await connection.withDeadline(Date.now() + CONNECT_MS, () => connection.workflowService.getSystemInfo({}));
  return { ...where, connection, version: info.serverVersion ?? 'of unknown version', identity: `${userInfo().username}@${hostname()}` };
}
