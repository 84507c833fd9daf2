import { setTimeout as sleep } from 'node:timers/promises';
import { startBare } from '../bare/index.ts';
import type { Contender } from '../contender.ts';
import { startOurs } from '../ours/index.ts';
import { peerTimesOurs, timesPeer } from '../report/results.ts';
import { median, summary } from '../report/statistics.ts';
import { Bill } from '../stage/bill.ts';
import { eventsOf, newestEvent, observedAt, timeOf } from '../stage/histories.ts';
import { inFlight } from '../stage/in-flight.ts';
import { preciseNow } from '../stage/precise-now.ts';
import type { Stage } from '../stage/stage.ts';
import type { Context, Result, Suite } from '../suite.ts';

const IN_FLIGHT = 64;

/** What one reconcile costs above a bare entity workflow that does the same. */
export const suite: Suite = { name: 'reconcile', run };

async function run({ quick, stage, say }: Context): Promise<readonly Result[]> {
  const pair = [await startOurs(stage), await startBare(stage)] as const;
  for (const contender of pair) await inFlight(quick ? 20 : 200, 16, (index) => reconcile(contender, `warm-up-${index}`, 1));
  const creates = await latencies(stage, pair, quick ? 5 : 150, 'create');
  say(`create: ours ${summary(creates.ours, 'ms')}, bare ${summary(creates.bare, 'ms')}`);
  const changes = await latencies(stage, pair, quick ? 5 : 150, 'change');
  say(`change: ours ${summary(changes.ours, 'ms')}, bare ${summary(changes.bare, 'ms')}`);
  const rates = await throughputs({ stage, pair, rounds: quick ? 2 : 7, count: quick ? 64 : 400, say });
  say(`throughput: ours ${summary(rates.ours, '/s')}, bare ${summary(rates.bare, '/s')}`);
  return [
    timesPeer({
      name: 'apply to observed, p50',
      ours: median(creates.ours),
      peer: median(creates.bare),
      of: 'ms',
      max: 1.5,
      note: 'creation, one at a time: from the call of apply to the event that shows the generation as observed, by the history',
    }),
    timesPeer({
      name: 'the same for a change, p50',
      ours: median(changes.ours),
      peer: median(changes.bare),
      of: 'ms',
      note: 'a new spec for a resource that exists',
    }),
    peerTimesOurs({
      name: `creations, ${IN_FLIGHT} in flight`,
      ours: rates.ours,
      peer: rates.bare,
      of: '1/s',
      max: 1 / 0.7,
      note: `bare / ours in the median pair of rounds, so 1.43 is 0.7 of bare; in flight from the call of apply until its handler was called; the clock stops when the last one is observed`,
    }),
  ];
}

type Pair = readonly [Contender, Contender];
type Samples = Record<Contender['name'], number[]>;

/** In turns, so that whatever else the machine does hits both; nothing is read while the clock runs. */
async function latencies(stage: Stage, pair: Pair, samples: number, what: 'create' | 'change'): Promise<Samples> {
  const taken: Samples = { ours: [], bare: [] };
  for (let index = 0; index < samples; index += 1) {
    for (const contender of inTurn(pair, index)) {
      const name = what === 'create' ? `create-${index}` : `create-${index % 5}`;
      const generation = what === 'create' ? 1 : 2 + Math.floor(index / 5);
      const began = preciseNow();
      await reconcile(contender, name, generation);
      taken[contender.name].push((await untilObserved(stage, contender.workflowIdOf(name), generation)) - began);
    }
  }
  return taken;
}

interface Load {
  readonly stage: Stage;
  readonly pair: Pair;
  readonly rounds: number;
  readonly count: number;
  readonly say: (sentence: string) => void;
}

async function throughputs({ stage, pair, rounds, count, say }: Load): Promise<Samples> {
  const taken: Samples = { ours: [], bare: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of inTurn(pair, round)) {
      // Read until the histories are, so only good for comparing.
      const bill = new Bill({ server: stage.serverPid, bench: process.pid, ...contender.pids });
      const name = (index: number): string => `load-${round}-${index}`;
      const began = preciseNow();
      await inFlight(count, IN_FLIGHT, (index) => reconcile(contender, name(index), 1));
      let ended = 0;
      await untilObserved(stage, contender.workflowIdOf(name(count - 1)), 1);
      await inFlight(count, 8, async (index) => {
        ended = Math.max(ended, await untilShown(stage, contender.workflowIdOf(name(index))));
      });
      taken[contender.name].push((count / (ended - began)) * 1000);
      say(
        `round ${round + 1}, ${contender.name}: ${Math.round(taken[contender.name].at(-1) ?? 0)}/s; CPU per reconcile: ${bill.perUnit(count)}`,
      );
    }
  }
  return taken;
}

/** Applies and waits until the handler was called, which no reading of ours can slow down. */
async function reconcile(contender: Contender, name: string, n: number): Promise<void> {
  const handled = contender.handled(name);
  await contender.apply(name, n);
  await handled;
}

async function untilObserved(stage: Stage, workflowId: string, generation: number): Promise<number> {
  for (;;) {
    await sleep(40);
    const at = observedAt(await eventsOf(stage.client, workflowId), generation);
    if (at !== undefined) return at;
  }
}

/** After the run: the memo upsert is the last event of a reconcile, for both. */
async function untilShown(stage: Stage, workflowId: string): Promise<number> {
  for (;;) {
    const event = await newestEvent(stage.client, workflowId);
    if (event.workflowPropertiesModifiedEventAttributes) return timeOf(event);
    await sleep(40);
  }
}

/** Ours first, bare first, ours first, … */
const inTurn = ([ours, bare]: Pair, index: number): Pair => (index % 2 === 0 ? [ours, bare] : [bare, ours]);
