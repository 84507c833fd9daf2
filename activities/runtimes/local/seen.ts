import { constants } from 'node:os';
import type { InstanceExit } from '../../../definitions/core/instance.ts';
import type { Seen } from '../runtime.ts';
import { lastWords } from './last-words.ts';
import type { Place } from './place.ts';
import type { InstanceRecord } from './record.ts';
import { lastRun, type Run, readRun, runNumbers } from './run.ts';

/** An instance as it is now. */
export function seenOf(place: Place, record: InstanceRecord): Seen {
  const run = lastRun(place);
  const state = run === undefined || run.state === 'claimed' ? 'created' : run.state === 'ended' ? 'exited' : run.state;
  const exit = exitOf(place, run?.end ? run : runBefore(place, run));
  return {
    id: place.id,
    name: record.name,
    slot: record.slot,
    digest: record.digest,
    generation: record.generation,
    state,
    ready: state === 'running',
    ...(run?.startedAt && { startedAt: run.startedAt.toISOString() }),
    ...(exit && { exit }),
    ...(record.ports.length > 0 && { ports: record.ports }),
    owner: record.owner,
    probes: record.template.probes,
    ...(record.once && { once: record.once }),
  };
}

/** What is there although its record cannot be read: not to be started again, and of a digest that nobody wants, so that it is removed. */
export const seenWithoutRecord = (place: Place, uid: string): Seen => ({
  id: place.id,
  name: place.id,
  slot: place.slot,
  digest: place.digest8,
  generation: 0,
  state: 'dead',
  ready: false,
  owner: { uid, resource: '', name: '' },
  probes: {},
});

function runBefore(place: Place, run: Run | undefined): Run | undefined {
  const number = run && runNumbers(place).findLast((each) => each < run.number);
  return number === undefined ? undefined : readRun(place, number);
}

function exitOf(place: Place, run: Run | undefined): InstanceExit | undefined {
  if (!run?.end) return undefined;
  const { code, at } = run.end;
  const signal = signalOf(code);
  const log = code === 0 ? '' : lastWords(place, run.number);
  return { code, ...(signal !== undefined && { signal }), at: at.toISOString(), ...(log !== '' && { log }) };
}

/** Shells say 128 and the signal's number. */
const signalOf = (code: number): string | undefined => Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
