import type { Resource } from '../../../definitions/core/resource.ts';
import { readConfig } from '../../config.ts';
import { findNodeDoor } from '../../node/door/address.ts';
import type { DoorInstance } from '../../node/door/api.ts';
import { DoorError, NodeDoorClient } from '../../node/door/client.ts';
import type { Context } from '../context.ts';
import { escapeLine } from '../escape.ts';
import { labelOf, type Selected } from '../selection.ts';
import { UsageError } from '../usage-error.ts';
import { reportsOf } from './reports.ts';

/** The way into the instances of this machine. */
export interface Here {
  readonly node: string;
  readonly door: NodeDoorClient;
}

/** An instance that is somewhere else. */
export interface Elsewhere {
  readonly slot: number;
  readonly name: string;
  readonly id: string;
  readonly node: string;
}

export interface Found {
  /** By slot, then name. */
  readonly here: readonly DoorInstance[];
  readonly elsewhere: readonly Elsewhere[];
}

/** The shortest beginning of an id that names an instance. */
const MIN_ID = 4;

export function openHere({ io }: Context): Here {
  const { home, node } = readConfig(io.env);
  return { node, door: new NodeDoorClient(findNodeDoor(home, node)) };
}

/**
 * The instances of a resource, or the ones that `wanted` names by slot, name or id. What this node says of its own counts more than
 * the status. Throws a sentence when there are none.
 */
export async function findInstances(context: Context, { node, door }: Here, selected: Selected, wanted?: string): Promise<Found> {
  const resource = await selected.resources.get(selected.ref);
  const reports = reportsOf(resource);
  const elsewhere = reports.filter((report) => report.node !== node);
  const expected = reports.filter((report) => report.node === node).map(({ id }) => id);
  const here = await listHere(context, door, { selected, resource, expected, hasOthers: elsewhere.length > 0 });
  const all: Found = { here, elsewhere };
  if (here.length + elsewhere.length === 0) throw none(selected, resource);
  if (wanted === undefined) return all;
  const found: Found = { here: named(here, wanted), elsewhere: named(elsewhere, wanted) };
  if (found.here.length + found.elsewhere.length > 0) return found;
  const slots = [...new Set([...here, ...elsewhere].map(({ slot }) => slot))].sort((a, b) => a - b);
  throw new UsageError(
    `${labelOf(selected)} has no instance ${JSON.stringify(wanted)}`,
    `It has slots ${slots.join(', ')}; a name or an id is good too.`,
  );
}

/** Says that logs, exec and top do not reach other nodes. */
export function elsewhereSentence(selected: Selected, elsewhere: readonly Elsewhere[], what: string): string {
  const { which, isOne } = slotsOf(selected, elsewhere);
  const nodes = [...new Set(elsewhere.map(({ node }) => node))].sort();
  return `${which} ${isOne ? 'is' : 'are'} on ${nodes.length === 1 ? 'node' : 'nodes'} ${nodes.join(', ')}; ${what} works only on that node for now`;
}

/** `slots 1, 2 of app.example.com/web`, once each. */
export function slotsOf(
  selected: Selected,
  instances: readonly { readonly slot: number }[],
): { readonly which: string; readonly isOne: boolean } {
  const slots = [...new Set(instances.map(({ slot }) => slot))].sort((a, b) => a - b);
  const isOne = slots.length === 1;
  return { which: `${isOne ? 'slot' : 'slots'} ${slots.join(', ')} of ${labelOf(selected)}`, isOne };
}

interface Expectation {
  readonly selected: Selected;
  readonly resource: Resource;
  /** Ids that the status says are here. */
  readonly expected: readonly string[];
  readonly hasOthers: boolean;
}

async function listHere({ io }: Context, door: NodeDoorClient, expectation: Expectation): Promise<readonly DoorInstance[]> {
  const { resource, expected, hasOthers } = expectation;
  try {
    const { instances, unreachable } = await door.instances(resource.metadata.uid);
    // A runtime that is away, as on every machine without Docker, matters only when something may be missing.
    const isWhole = instances.length > 0 && expected.every((id) => instances.some((instance) => instance.id === id));
    const runs = resource.status?.runtime;
    const missed = isWhole ? [] : unreachable.filter(({ runtime }) => (runs === undefined ? expected.length > 0 : runtime === runs));
    if (missed[0] && instances.length === 0 && !hasOthers) throw unseen(expectation, missed[0].message);
    for (const { runtime, message } of missed) io.err(`warning: ${escapeLine(`${runtime} cannot be asked: ${message}`)}\n`);
    return [...instances].sort((a, b) => a.slot - b.slot || (a.name < b.name ? -1 : 1));
  } catch (error) {
    // A machine without an agent has nothing to show, but what is elsewhere is still worth a word.
    if (hasOthers && error instanceof DoorError && error.code === 'NoNodeAgent') return [];
    throw error;
  }
}

/** Nobody knows whether there are any. */
function unseen({ selected }: Expectation, why: string): Error {
  const message = `the instances of ${labelOf(selected)} cannot be seen: ${why}`;
  return Object.assign(new Error(message), { code: 'Unreachable', hint: 'See what is wrong: colony doctor' });
}

/** Those that a person names by slot, name or the beginning of an id. */
export function named<T extends { readonly slot: number; readonly name: string; readonly id: string }>(
  all: readonly T[],
  wanted: string,
): readonly T[] {
  const bySlot = /^\d{1,6}$/.test(wanted) ? all.filter(({ slot }) => slot === Number(wanted)) : [];
  if (bySlot.length > 0) return bySlot;
  return all.filter(({ name, id }) => name === wanted || id === wanted || (wanted.length >= MIN_ID && id.startsWith(wanted)));
}

function none(selected: Selected, resource: Resource): Error {
  const hint = `See why: colony describe ${selected.known.names.singular}/${selected.ref.name}`;
  return Object.assign(
    new Error(`${labelOf(selected)} has no instances${resource.metadata.deletionTimestamp ? '; it is being deleted' : ''}`),
    {
      code: 'NotFound',
      hint,
    },
  );
}
