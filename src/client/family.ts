import type { ChildRef } from '../../definitions/core/family.ts';
import { ownerKeyOf } from '../../definitions/core/replayed/owner-key.ts';
import type { OwnerReference, Resource } from '../../definitions/core/resource.ts';
import type { Family } from './api.ts';
import type { Context } from './context.ts';
import { describeRow } from './describe-row.ts';
import { get } from './get.ts';
import { inParallel } from './in-parallel.ts';
import { ownedBy } from './queries.ts';
import { query } from './read.ts';
import { newestRows } from './row.ts';
import type { Target } from './target.ts';
import { rows } from './visibility.ts';

/** Owners in one question to the index. */
const OWNERS_AT_ONCE = 40;
const CALLS_AT_ONCE = 16;
const INVENTORY_MS = 3_000;
/** Deeper than any family that somebody made on purpose. */
const MAX_DEPTH = 20;

/**
 * Reads a resource with all that it answers for, generation by generation: the children of one in the order in which it made them,
 * else by their age.
 *
 * Found by the index, and by the inventory of every owner that answers. Guarantees: ends, also when owners own each other; nobody
 * is shown twice. Throws NotFoundError for the root.
 */
export async function readFamily(context: Context, target: Target): Promise<Family> {
  const root: Member = { id: target.workflowId, resource: await get(context.session, context.reader, target), children: [] };
  const known = new Set([root.resource.metadata.uid]);
  let owners: readonly Member[] = [root];
  for (let depth = 0; owners.length > 0 && depth < MAX_DEPTH; depth += 1) {
    owners = await grow(context, owners, known, depth === 0);
  }
  return root;
}

interface Member extends Family {
  readonly children: Member[];
}

/** Gives the owners their children, and answers with all of those. */
async function grow(context: Context, owners: readonly Member[], known: Set<string>, isRoot: boolean): Promise<readonly Member[]> {
  const found = await childrenOf(context, owners);
  await inParallel(owners, CALLS_AT_ONCE, async (owner) => {
    const { uid } = owner.resource.metadata;
    const own = found.filter(({ resource }) => ownerOf(resource)?.uid === uid);
    // An index that is late shows no child of a young owner: the one that was asked for is asked itself, others when they have any.
    const inventory = isRoot || own.length > 0 ? await inventoryOf(context, owner) : [];
    const late = inventory.filter(({ id }) => !own.some((child) => child.id === id));
    const added = await inParallel(late, CALLS_AT_ONCE, (child) => lateChild(context, child, uid));
    const all = [...own, ...added.filter((child) => child !== undefined)].filter((child) => !known.has(child.resource.metadata.uid));
    for (const { resource } of all) known.add(resource.metadata.uid);
    owner.children.push(...inOrder(all, inventory));
  });
  return owners.flatMap(({ children }) => children);
}

async function childrenOf({ session, reader }: Context, owners: readonly Member[]): Promise<readonly Member[]> {
  const keys = owners.map(({ resource: { kind, metadata } }) => ownerKeyOf({ kind, name: metadata.name, uid: metadata.uid }));
  const parts = Array.from({ length: Math.ceil(keys.length / OWNERS_AT_ONCE) }, (_, i) =>
    keys.slice(i * OWNERS_AT_ONCE, (i + 1) * OWNERS_AT_ONCE),
  );
  const found = newestRows((await Promise.all(parts.map((part) => rows(session, ownedBy(part))))).flat());
  const members = await inParallel(found, CALLS_AT_ONCE, async (row) => memberOf(row.workflowId, await reader.complete(row)));
  return members.filter((member) => member !== undefined);
}

const memberOf = (id: string, resource: Resource | undefined): Member | undefined =>
  resource ? { id, resource, children: [] } : undefined;

/** What an owner says it has made; nothing when it does not answer. */
async function inventoryOf({ session }: Context, { id }: Member): Promise<readonly ChildRef[]> {
  try {
    return await query<readonly ChildRef[]>(session, id, 'family', INVENTORY_MS);
  } catch {
    return [];
  }
}

/** A child that the index does not show; undefined when it is gone, or is somebody else's by now. */
async function lateChild({ session, reader }: Context, { id, uid }: ChildRef, owner: string): Promise<Member | undefined> {
  const row = await describeRow(session, id);
  const resource = row?.open ? await reader.complete(row) : undefined;
  return resource?.metadata.uid === uid && ownerOf(resource)?.uid === owner ? memberOf(id, resource) : undefined;
}

function inOrder(children: readonly Member[], inventory: readonly ChildRef[]): readonly Member[] {
  const place = new Map(inventory.map(({ id }, index) => [id, index]));
  const placeOf = ({ id }: Member): number => place.get(id) ?? inventory.length;
  const bornAt = ({ resource }: Member): number => Date.parse(resource.metadata.creationTimestamp);
  return [...children].sort((a, b) => placeOf(a) - placeOf(b) || bornAt(a) - bornAt(b) || (a.id < b.id ? -1 : 1));
}

/** Who answers for a resource, by the rule that the index goes by. */
function ownerOf({ metadata: { ownerReferences } }: Resource): OwnerReference | undefined {
  return ownerReferences.find(({ controller }) => controller) ?? ownerReferences[0];
}
