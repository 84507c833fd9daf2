import { ApplicationFailure, sleep } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import type { ChildRef, ChildrenSeen } from '../../definitions/core/family.ts';
import { ownerKeyOf } from '../../definitions/core/replayed/owner-key.ts';
import type { Metadata } from '../../definitions/core/resource.ts';
import { describeAlive, type Incarnation } from '../resources/incarnation.ts';
import { sendDelete, sendRelease } from './send.ts';

export interface RemoveChildrenRequest {
  readonly kind: string;
  readonly metadata: Metadata;
  readonly inventory: readonly ChildRef[];
  readonly waves: readonly (readonly ChildRef[])[];
  readonly released: readonly ChildRef[];
  readonly all: boolean;
  readonly inBackground: boolean;
}

const AT_ONCE = 16;
/** How long one attempt waits for a wave before it lets the server wait. */
const PATIENCE_MS = 5_000;

/**
 * Lets children go, wave after wave: the next one is asked only when the one before it is gone.
 *
 * Safe to repeat; NotReady while somebody is still there. Whoever else has taken a child's name meanwhile is not touched.
 */
export function createRemoveChildren(client: Client): (request: RemoveChildrenRequest) => Promise<ChildrenSeen> {
  const remove = async (wave: readonly Incarnation[], waits: boolean): Promise<void> => {
    const inTurn = pLimit(AT_ONCE);
    const ask = async (child: Incarnation): Promise<boolean> => {
      if (await isGone(client, child)) return false;
      await sendDelete(client, child, waits ? 'Foreground' : 'Background');
      return true;
    };
    const asked = await Promise.all(wave.map((child) => inTurn(() => ask(child))));
    if (!waits) return;
    let left = wave.filter((_child, index) => asked[index]);
    const until = Date.now() + PATIENCE_MS;
    for (let pauseMs = 20; left.length > 0; pauseMs = Math.min(400, pauseMs * 2)) {
      const gone = await Promise.all(left.map((child) => inTurn(() => isGone(client, child))));
      left = left.filter((_child, index) => !gone[index]);
      if (left.length > 0 && Date.now() > until) throw notYet(left);
      if (left.length > 0) await sleep(pauseMs);
    }
  };

  return async ({ kind, metadata, inventory, waves, released, all, inBackground }) => {
    const leaving = new Set([...waves.flat(), ...released].map(({ uid }) => uid));
    for (const child of released) await sendRelease(client, child);
    const unlisted = all ? await ownedBeside(client, kind, metadata, leaving) : [];
    const order = unlisted.length > 0 ? [unlisted, ...waves] : waves;
    for (const [index, wave] of order.entries()) await remove(wave, !(inBackground && index === order.length - 1));
    return { children: inventory.filter(({ uid }) => !leaving.has(uid) && !all) };
  };
}

const notYet = ([first, ...others]: readonly Incarnation[]): ApplicationFailure =>
  ApplicationFailure.create({
    type: 'NotReady',
    message: `waits until ${first?.id}${others.length > 0 ? ` and ${others.length} more` : ''} ${others.length > 0 ? 'are' : 'is'} gone`,
    category: 'BENIGN',
    nextRetryDelay: '500ms',
  });

/**
 * Children by what they say of themselves, beside those that are known: a step may have made some and then failed to report them.
 *
 * The index finds them, but it is late: what was let go a moment ago is still in it. So each is asked whose it is.
 */
async function ownedBeside(client: Client, kind: string, { name, uid }: Metadata, known: ReadonlySet<string>): Promise<Incarnation[]> {
  const children: Incarnation[] = [];
  const query = `ColonyOwner = '${ownerKeyOf({ kind, name, uid })}' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId, memo } of client.workflow.list({ query })) {
    const meta = memo?.meta as Metadata | undefined;
    if (!meta || known.has(meta.uid)) continue;
    const child = { id: workflowId, uid: meta.uid };
    if (await isOwned(client, child, uid)) children.push(child);
  }
  return children;
}

async function isOwned(client: Client, child: Incarnation, owner: string): Promise<boolean> {
  const meta = (await describeAlive(client, child))?.memo?.meta as Metadata | undefined;
  return meta?.ownerReferences.some(({ uid }) => uid === owner) === true;
}

/** Gone, or another resource has taken its name. */
const isGone = async (client: Client, child: Incarnation): Promise<boolean> => (await describeAlive(client, child)) === undefined;
