import { Client } from '@temporalio/client';
import type { RuntimeName } from '../../../definitions/core/template.ts';
import type { DoorRuntime } from '../../node/door/api.ts';
import { DoorError, type NodeDoorClient } from '../../node/door/client.ts';
import { askForResidents } from '../../node/observer/residents.ts';
import type { Temporal } from '../temporal.ts';
import { bad, type Finding, ok, skipped } from './finding.ts';

/** What makes each of them answer again. */
const CURES: Readonly<Record<RuntimeName, string>> = {
  docker: 'Start the Docker engine; if it listens elsewhere, set DOCKER_HOST and start colony up again.',
  local: 'See whether its user may read and write the folder instances in COLONY_HOME, and whether the disk is full.',
  kubernetes: 'See whether kubectl reaches the cluster with the same kubeconfig (COLONY_KUBECONFIG, else KUBECONFIG).',
};

/** How many resources of this machine's node need a runtime. */
export type Needs = (runtime: RuntimeName) => Promise<number>;

/**
 * A finding for every runtime that the agent of this machine has. One that does not answer is a fault only where resources need
 * it: on a machine without Docker nothing is wrong.
 */
export async function checkRuntimes(door: NodeDoorClient, needs: Needs): Promise<readonly Finding[]> {
  try {
    return await Promise.all((await door.runtimes()).map((one) => findingOf(one, needs)));
  } catch (error) {
    if (!(error instanceof DoorError)) throw error;
    return [silent(error)];
  }
}

/** Counts them as Temporal's index knows them; those that are too large to say what they need there are counted too. */
export function needsOf({ connection, namespace, node }: Temporal): Needs {
  const residents = askForResidents(new Client({ connection, namespace }), node);
  return async (name) => [...(await residents()).values()].filter(({ runtime = name }) => runtime === name).length;
}

async function findingOf({ runtime, message }: DoorRuntime, needs: Needs): Promise<Finding> {
  const check = `runtime ${runtime}`;
  if (message === undefined) return ok(check, 'answers');
  const count = await needs(runtime);
  if (count === 0)
    return skipped(check, `${message}; no resource needs it here`, `Needed only to run instances with it. ${CURES[runtime]}`);
  const who = count === 1 ? '1 resource needs' : `${count} resources need`;
  return bad(check, `${message}; ${who} it here`, `${CURES[runtime]} Then all goes on by itself.`);
}

/** Somebody serves the node, but nobody here says what it has. */
function silent({ code, message, hint }: DoorError): Finding {
  const check = 'runtimes';
  if (code === 'NotFound') return skipped(check, 'the agent is of an older colony and does not tell', 'Start it again: colony up');
  if (code === 'Lost') return bad(check, message, 'If it is stopped or hangs, start it again: colony up');
  return skipped(check, `cannot be asked: ${message}`, hint);
}
