import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { StopManner } from '../../../definitions/core/template.ts';
import type { Place } from './place.ts';
import { isRunning, type ProcessIdentity } from './process-identity.ts';
import { commandLineOf, openFileOf, type ProcessEntry, processTable, variableOf } from './process-table.ts';

const LOOK_EVERY_MS = 25;
const BEGINNING_TAKES_MS = 1_000;
const KILL_TAKES_MS = 10_000;

/** Every process of an instance carries this; it tells its leftovers from strangers when their session's leader is gone. */
export const MARK = 'COLONY_INSTANCE';

/** Processes of one instance that were started together. */
export interface Session {
  readonly place: Place;
  readonly leader: ProcessIdentity;
}

/**
 * Everybody who lives in a session, its leader included.
 *
 * Guarantees: nobody but processes of that instance, whoever has the leader's pid by now.
 * Caveats: who moved to a session of its own (a daemon) is not found; outside Linux, leftovers without a leader are known by their group alone.
 */
export function membersOf({ place, leader }: Session, table = processTable()): readonly ProcessEntry[] {
  const members = table.filter(({ session }) => session === leader.pid);
  if (members.length === 0 || isRunning(leader)) return members;
  if (process.platform !== 'linux') return members.some(({ pid }) => pid === leader.pid) ? [] : members;
  return members.filter(({ pid }) => isMarked(pid, place));
}

/** By its environment, or, as servers write their titles over that, by the logs it writes to. */
const isMarked = (pid: number, place: Place): boolean =>
  variableOf(pid, MARK)?.endsWith(place.nameEnd) || [1, 2].some((number) => openFileOf(pid, number)?.startsWith(`${place.logs}/`));

export const isAlive = (session: Session): boolean => isRunning(session.leader) || membersOf(session).length > 0;

/** Ends a session: the signal goes to its group, and after the grace everybody who is left is killed. Nobody lives when it comes back. */
export async function endSession(session: Session, { signal, graceSeconds }: StopManner): Promise<void> {
  if (!isAlive(session)) return;
  await untilBegun(session);
  send(session, signalNamed(signal));
  if (await isEmptyWithin(graceSeconds * 1_000, session)) return;
  const until = Date.now() + KILL_TAKES_MS;
  do {
    send(session, 'SIGKILL');
    if (await isEmptyWithin(4 * LOOK_EVERY_MS, session)) return;
  } while (Date.now() < until);
  throw new Error(`processes of ${session.place.id} do not end although they were killed`);
}

/** Ends a session without asking. */
export const killSession = (session: Session): Promise<void> => endSession(session, { signal: 'SIGKILL', graceSeconds: 0 });

/** Wakes a session up that was stopped. */
export function wakeSession({ leader }: Session): void {
  if (isRunning(leader)) kill(-leader.pid, 'SIGCONT');
}

/** To the group while its leader lives; one by one to leftovers, and to those in other groups when they are to be killed. */
function send(session: Session, signal: NodeJS.Signals): void {
  const { pid } = session.leader;
  const isLed = isRunning(session.leader);
  const singles = isLed && signal !== 'SIGKILL' ? [] : membersOf(session).filter((member) => member.pid !== pid);
  if (isLed) kill(-pid, signal);
  for (const member of singles) kill(member.pid, signal);
}

/** While the shim makes a process of itself for the command, a signal could be lost; that takes a moment right after the start. */
async function untilBegun({ place, leader }: Session): Promise<void> {
  for (const until = Date.now() + BEGINNING_TAKES_MS; Date.now() < until && isRunning(leader); await pause(LOOK_EVERY_MS)) {
    const shim = commandLineOf(leader.pid);
    if (membersOf({ place, leader }).some(({ pid }) => commandLineOf(pid) !== shim)) return;
  }
}

async function isEmptyWithin(ms: number, session: Session): Promise<boolean> {
  const until = Date.now() + ms;
  while (isAlive(session)) {
    const left = until - Date.now();
    if (left <= 0) return false;
    await pause(Math.min(left, LOOK_EVERY_MS));
  }
  return true;
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended between the look and the signal.
  }
}

/** SIGTERM for names that this machine does not know. */
function signalNamed(name: string): NodeJS.Signals {
  const full = name.startsWith('SIG') ? name : `SIG${name}`;
  return full in constants.signals ? (full as NodeJS.Signals) : 'SIGTERM';
}
