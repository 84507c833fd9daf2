import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { StopManner } from '../../../definitions/core/template.ts';
import { type Marked, markedOf, markedProcesses, NAME_MARK } from './marks.ts';
import type { Place } from './place.ts';
import { isRunning, type ProcessIdentity } from './process-identity.ts';
import { childrenOf, commandLineOf, isStopped, openFileOf, type ProcessEntry, processTable, variableOf } from './process-table.ts';

const LOOK_EVERY_MS = 25;
const BEGINNING_TAKES_MS = 1_000;
const KILL_TAKES_MS = 10_000;
const KILL_ROUND_MS = 100;

/** Processes of one instance that were started together. */
export interface Session {
  readonly place: Place;
  readonly run: number;
  readonly leader: ProcessIdentity;
}

/**
 * Everybody who lives in a session, its leader included.
 *
 * Guarantees: nobody but processes of that instance, whoever has the leader's pid by now.
 * Caveats: outside Linux, leftovers without a leader are known by their group alone.
 */
export function membersOf({ place, leader }: Session, table = processTable()): readonly ProcessEntry[] {
  const members = table.filter(({ session }) => session === leader.pid);
  if (members.length === 0 || isRunning(leader)) return members;
  if (process.platform !== 'linux') return members.some(({ pid }) => pid === leader.pid) ? [] : members;
  return members.filter(({ pid }) => isMarked(pid, place));
}

/** By its environment, or, as servers write their titles over that, by the logs it writes to. */
const isMarked = (pid: number, place: Place): boolean =>
  variableOf(pid, NAME_MARK)?.endsWith(place.nameEnd) || [1, 2].some((number) => openFileOf(pid, number)?.startsWith(`${place.logs}/`));

/** Who moved to a session of its own, as daemons do, in this run or in one before. Not who was run beside the instance. */
export const straysOf = ({ place, run, leader }: Session, marked = markedProcesses()): readonly Marked[] =>
  markedOf(place, marked).filter((one) => one.entry.session !== leader.pid && one.run !== undefined && one.run <= run);

/** True while anybody of the session itself lives: a run is over although a daemon of it goes on. */
export const isAlive = (session: Session): boolean => isRunning(session.leader) || membersOf(session).length > 0;

/**
 * Ends a session: the signal goes to its group and to those who moved out, and after the grace everybody who is left is killed.
 * Nobody lives when it comes back.
 */
export async function endSession(session: Session, { signal, graceSeconds }: StopManner): Promise<void> {
  if (!isAlive(session) && straysOf(session).length === 0) return;
  await untilBegun(session);
  const strays = straysOf(session);
  send(session, strays, signalNamed(signal));
  if (await isEmptyWithin(graceSeconds * 1_000, session, strays)) return;
  await untilKilled(session.place, async () => {
    const left = straysOf(session);
    send(session, left, 'SIGKILL');
    return await isEmptyWithin(KILL_ROUND_MS, session, left);
  });
}

/** Kills everybody who is marked as of that instance, also who was run beside it. */
export async function killMarked(place: Place): Promise<void> {
  await untilKilled(place, async () => {
    const left = markedOf(place, markedProcesses());
    for (const one of left) signalMarked(one, 'SIGKILL');
    if (left.length > 0) await pause(LOOK_EVERY_MS);
    return left.length === 0;
  });
}

async function untilKilled({ id }: Place, round: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + KILL_TAKES_MS;
  do {
    if (await round()) return;
  } while (Date.now() < until);
  throw new Error(`processes of ${id} do not end although they were killed`);
}

/** Ends a session without asking. */
export const killSession = (session: Session): Promise<void> => endSession(session, { signal: 'SIGKILL', graceSeconds: 0 });

/** True while the shim or the program that it runs is stopped. Only seen on Linux. */
export const isPaused = ({ leader: { pid } }: Session): boolean =>
  process.platform === 'linux' && [pid, ...childrenOf(pid)].some(isStopped);

/** Wakes a session up that was stopped, and its program wherever that has moved. */
export function wakeSession({ leader }: Session): void {
  if (!isRunning(leader)) return;
  const programs = childrenOf(leader.pid);
  kill(-leader.pid, 'SIGCONT');
  for (const program of programs) kill(program, 'SIGCONT');
}

/** To the group while its leader lives; one by one to leftovers, to strays, and to those in other groups when they are to be killed. */
function send(session: Session, strays: readonly Marked[], signal: NodeJS.Signals): void {
  const { pid } = session.leader;
  const isLed = isRunning(session.leader);
  const singles = isLed && signal !== 'SIGKILL' ? [] : membersOf(session).filter((member) => member.pid !== pid);
  if (isLed) kill(-pid, signal);
  for (const member of singles) kill(member.pid, signal);
  for (const stray of strays) signalMarked(stray, signal);
}

function signalMarked({ identity }: Marked, signal: NodeJS.Signals): void {
  if (isRunning(identity)) kill(identity.pid, signal);
}

/** While the shim makes a process of itself for the command, a signal could be lost; that takes a moment right after the start. */
async function untilBegun({ leader }: Session): Promise<void> {
  for (const until = Date.now() + BEGINNING_TAKES_MS; Date.now() < until && isRunning(leader); await pause(LOOK_EVERY_MS)) {
    const shim = commandLineOf(leader.pid);
    const ofShim = processTable().filter(({ parent, session }) => session === leader.pid || parent === leader.pid);
    if (ofShim.some(({ pid }) => commandLineOf(pid) !== shim)) return;
  }
}

/** Looks for more strays only when nobody else is left: that is a look at everybody on the machine. */
async function isEmptyWithin(ms: number, session: Session, strays: readonly Marked[]): Promise<boolean> {
  const until = Date.now() + ms;
  let known = strays;
  const isAnybodyKnown = (): boolean => isAlive(session) || known.some(({ identity }) => isRunning(identity));
  const isAnybodyNew = (): boolean => {
    known = straysOf(session);
    return known.length > 0;
  };
  while (isAnybodyKnown() || isAnybodyNew()) {
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
