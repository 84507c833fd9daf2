import { type Colony, connect } from '../../src/client/index.ts';
import type { Stage } from '../stage/stage.ts';

export type Door = Pick<Colony, 'apply'>;

/** The typed client; patient, because a load that is too high for the machine is no failure here. */
export function openDoor({ address }: Stage): Promise<Door> {
  return connect({ address, temporalNamespace: 'default', actor: 'bench', timeoutMs: 60_000 });
}
