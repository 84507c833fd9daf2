import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { quote } from '../../../definitions/core/quote.ts';
import type { Template } from '../../../definitions/core/template.ts';
import { Problem } from '../runtime.ts';
import { environmentOf, workingDirOf } from './environment.ts';
import { findCommand } from './find-command.ts';
import { markOf } from './marks.ts';
import type { Place } from './place.ts';
import { choosePorts } from './ports.ts';
import { type InstanceRecord, replaceRecord } from './record.ts';
import { forgetRun, readRun, runNumbers, sessionOf } from './run.ts';
import { killSession } from './session.ts';
import { startShim } from './shim.ts';

/** Puts in the secrets that a template names. */
export type Reveal = (template: Template) => Promise<Template>;

const CLAIM_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 5;

/**
 * Starts the run of that number, after the one before it has ended. Its leftovers are killed, and the run before that is forgotten.
 *
 * Guarantees: runs the command once, however often it is called for one number. Throws Problem when it cannot be started.
 */
export async function startRun(place: Place, record: InstanceRecord, number: number, reveal: Reveal): Promise<void> {
  const leftovers = sessionOf(place, number > 1 ? readRun(place, number - 1) : undefined);
  if (leftovers) await killSession(leftovers);
  const ready = await withPorts(place, record, number);
  for (const folder of [place.runs, place.logs, place.work]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const old of runNumbers(place)) if (old < number - 1) forgetRun(place, old);
  await startCommand(place, ready, number, reveal);
}

async function withPorts(place: Place, record: InstanceRecord, number: number): Promise<InstanceRecord> {
  const ports = await choosePorts(record.template.ports, record.slot, record.ports);
  const isUnderWay = runNumbers(place).includes(number);
  if (isUnderWay || isDeepStrictEqual(ports, record.ports)) return record;
  const changed = { ...record, ports };
  replaceRecord(place, changed);
  return changed;
}

async function startCommand(place: Place, record: InstanceRecord, number: number, reveal: Reveal): Promise<void> {
  const workingDir = workingDirOf(record, place);
  if (!statSync(workingDir, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Problem('StartFailed', `The folder ${quote(workingDir)} of spec.workingDir does not exist on this node.`);
  }
  const template = await reveal(record.template);
  const env = environmentOf({ ...record, template }, markOf(place, number));
  const [program = '', ...args] = [...template.entrypoint, ...template.command];
  if (!findCommand(program, env.PATH ?? '', workingDir)) {
    const [asWritten] = [...record.template.entrypoint, ...record.template.command];
    throw new Problem('CommandNotFound', `The command ${quote(asWritten)} is not on this node, or may not be run.`);
  }
  const run = join(place.runs, String(number));
  const log = join(place.logs, String(number));
  const failure = await failureOf(
    () => startShim({ run, log, command: [program, ...args], env, workingDir }),
    () => isClaimed(place, number),
  );
  if (failure !== undefined) throw new Problem('StartFailed', `The process could not be started: ${failure}.`);
}

/** Undefined as soon as the run is claimed, by whomever. */
async function failureOf(start: () => ReturnType<typeof startShim>, hasBegun: () => boolean): Promise<string | undefined> {
  let failure: string | undefined;
  try {
    const child = start();
    child.once('error', ({ message }) => {
      failure = message;
    });
    child.once('exit', () => {
      failure ??= 'its shell ended before it began';
    });
  } catch (error) {
    return (error as Error).message;
  }
  for (const until = Date.now() + CLAIM_WITHIN_MS; Date.now() < until; await pause(LOOK_EVERY_MS)) {
    const known = failure;
    if (hasBegun()) return undefined;
    if (known !== undefined) return known;
  }
  return 'its shell did not begin in time';
}

const isClaimed = (place: Place, number: number): boolean =>
  runNumbers(place).includes(number) && readRun(place, number).state !== 'claimed';
