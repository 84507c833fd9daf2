import { setTimeout as sleep } from 'node:timers/promises';
import type { PrivateEngine } from '../../scripts/docker-engine.mjs';
import { Anatomy, momentsOfCreate, momentsOfDelete, momentsOfHeal, momentsWithout, partsOfUpdate } from '../instances/anatomy.ts';
import { BareFleet } from '../instances/bare-fleet.ts';
import { ColonyFleet } from '../instances/colony-fleet.ts';
import { deploymentId } from '../instances/deployment.ts';
import { EngineApi } from '../instances/engine-api.ts';
import { type Fleet, type Keeper, NEXT_IMAGE } from '../instances/fleet.ts';
import { isBack, isGone, Lookout, runs, runsOnly } from '../instances/lookout.ts';
import { withPrivateEngine } from '../instances/private-engine.ts';
import { SwarmFleet } from '../instances/swarm-fleet.ts';
import { plain, timesPeer, timesPeerInTurn } from '../report/results.ts';
import { median, summary } from '../report/statistics.ts';
import { Bill } from '../stage/bill.ts';
import { cpuMs } from '../stage/cpu.ts';
import { countEvents, eventsOf, pendingTimers, tally } from '../stage/histories.ts';
import { inFlight } from '../stage/in-flight.ts';
import { preciseNow } from '../stage/precise-now.ts';
import type { Stage } from '../stage/stage.ts';
import type { Context, Result, Suite } from '../suite.ts';

interface Sizes {
  readonly rounds: number;
  readonly few: number;
  readonly many: number;
  readonly rolled: number;
  /** Heals in each round; each of another container, because whoever ends twice has to wait. */
  readonly heals: number;
  readonly settled: number;
  readonly idleSeconds: number;
}

const FULL: Sizes = { rounds: 5, few: 20, many: 50, rolled: 10, heals: 5, settled: 100, idleSeconds: 60 };
const QUICK: Sizes = { rounds: 1, few: 4, many: 8, rolled: 4, heals: 2, settled: 5, idleSeconds: 5 };
/** Long enough that whatever follows an action has come to rest. */
const REST_MS = 1_000;
const MAX_CREATE_EVENTS = 30;
const MAX_HEAL_EVENTS = 20;

/** What keeping containers costs above the engine alone, and against the orchestrator that the engine brings along. */
export const suite: Suite = {
  name: 'instances',
  run: (context) => withPrivateEngine(context.say, (engine) => compare(context, engine)),
};

async function compare({ quick, stage, say }: Context, { socket, host, pid }: PrivateEngine): Promise<readonly Result[]> {
  const sizes = quick ? QUICK : FULL;
  const engine = new EngineApi(socket);
  const lookout = await Lookout.open(socket);
  const ours = await ColonyFleet.start(stage, host);
  const bare = new BareFleet(engine);
  const swarm = await startable(new SwarmFleet(engine), say);
  const pids = { dockerd: pid, temporal: stage.serverPid, bench: process.pid, ...ours.pids };
  const bench = new Contest(stage, lookout, engine, pids, sizes, say);
  try {
    const fleets: readonly Fleet[] = [bare, ours, ...(swarm ? [swarm] : [])];
    for (const fleet of fleets) await bench.warmUp(fleet);
    for (let round = 0; round < sizes.rounds; round += 1) {
      // Who was first is last the next time.
      for (const fleet of [...fleets.slice(round % fleets.length), ...fleets.slice(0, round % fleets.length)]) {
        await bench.turn(fleet, round);
      }
    }
    for (const [name, anatomy] of bench.anatomies) say(`${name}: ${anatomy}`);
    return [...bench.results(swarm !== undefined), ...(await idle(stage, ours, lookout, sizes, say))];
  } finally {
    await ours.close();
    lookout.close();
    engine.close();
  }
}

/** Undefined where swarm mode does not start; then it is left out, and that is said. */
async function startable(swarm: SwarmFleet, say: (sentence: string) => void): Promise<SwarmFleet | undefined> {
  try {
    await swarm.enter();
    await swarm.leave();
    return swarm;
  } catch (error) {
    say(`there is no comparison with Swarm, because swarm mode does not start here: ${(error as Error).message}`);
    return undefined;
  }
}

const NOTHING = { few: [], many: [], removeFew: [], removeMany: [], update: [], heal: [] };
type Times = Record<keyof typeof NOTHING, number[]>;

/** Lets fleets do the same, one after the other, and takes their times. */
class Contest {
  readonly anatomies = new Map<string, Anatomy>();
  private readonly times: Record<Fleet['name'], Times> = { ours: fresh(), bare: fresh(), swarm: fresh() };
  private readonly events: Record<'create' | 'heal', number[]> = { create: [], heal: [] };

  constructor(
    private readonly stage: Stage,
    private readonly lookout: Lookout,
    private readonly engine: EngineApi,
    private readonly pids: Readonly<Record<string, number>>,
    private readonly sizes: Sizes,
    private readonly say: (sentence: string) => void,
  ) {}

  async warmUp(fleet: Fleet): Promise<void> {
    await fleet.enter();
    for (const round of [1, 2]) {
      const group = `warm-up-${fleet.name}-${round}`;
      await this.timed(group, runs(4), () => fleet.create(group, 4));
      await sleep(REST_MS);
      await this.timed(group, isGone, () => fleet.remove(group));
    }
    await fleet.leave();
    await sleep(REST_MS);
  }

  async turn(fleet: Fleet, round: number): Promise<void> {
    const { few, many } = this.sizes;
    await fleet.enter();
    await this.upAndDown(fleet, `${fleet.name}-${round}-few`, few, 'few', 'removeFew');
    await this.upAndDown(fleet, `${fleet.name}-${round}-many`, many, 'many', 'removeMany');
    if (isKeeper(fleet)) await this.keep(fleet, `${fleet.name}-${round}-kept`);
    await fleet.leave();
    await sleep(REST_MS);
    const { heal, ...others } = this.times[fleet.name];
    const last = Object.entries(others).map(([name, taken]) => `${name} ${Math.round(taken.at(-1) ?? Number.NaN)} ms`);
    this.say(`round ${round + 1}, ${fleet.name}: ${last.join(', ')}${heal.length > 0 ? `, heal ${summary(heal, 'ms')}` : ''}`);
  }

  private async upAndDown(fleet: Fleet, group: string, count: number, up: 'few' | 'many', down: 'removeFew' | 'removeMany'): Promise<void> {
    const times = this.times[fleet.name];
    const isOurs = fleet.name === 'ours';
    const creating = new Bill(this.pids);
    const created = await this.timed(group, runs(count), () => fleet.create(group, count));
    times[up].push(created.ms);
    this.say(`${fleet.name}, CPU for each of ${count} to run: ${creating.perUnit(count)}`);
    await sleep(REST_MS);
    const happenings = this.lookout.happenings(group);
    if (isOurs) {
      const events = await this.eventsOf(group);
      this.events.create.push(events.length);
      if (events.length > MAX_CREATE_EVENTS) this.say(`0 to ${count} left more events than it may, ${tally(events)}`);
      this.note(`0 to ${count}, ours`, created.began, momentsOfCreate(events, happenings));
    } else this.note(`0 to ${count}, ${fleet.name}`, created.began, momentsWithout(happenings));
    const removing = new Bill(this.pids);
    const removed = await this.timed(group, isGone, () => fleet.remove(group));
    times[down].push(removed.ms);
    this.say(`${fleet.name}, CPU for each of ${count} to go: ${removing.perUnit(count)}`);
    await sleep(REST_MS);
    const events = isOurs ? await this.eventsOf(group) : [];
    this.note(`delete ${count}, ${fleet.name}`, removed.began, momentsOfDelete(events, this.lookout.happenings(group)));
  }

  private async keep(fleet: Keeper, group: string): Promise<void> {
    const { rolled } = this.sizes;
    const times = this.times[fleet.name];
    await this.timed(group, runs(rolled), () => fleet.create(group, rolled));
    await sleep(REST_MS);
    const updated = await this.timed(group, runsOnly('v2', rolled), () => fleet.update(group, rolled, NEXT_IMAGE));
    times.update.push(updated.ms);
    await sleep(REST_MS);
    if (fleet.name === 'ours') {
      this.say(`rolling update of ${rolled}: ${partsOfUpdate(await this.eventsOf(group), updated.began, updated.began + updated.ms)}`);
    }
    const victims = this.lookout.there(group).filter(({ isRunning }) => isRunning);
    for (const { id } of victims.slice(0, this.sizes.heals)) times.heal.push(await this.heal(fleet, group, id));
    await this.timed(group, isGone, () => fleet.remove(group));
    await sleep(REST_MS);
  }

  private async heal(fleet: Keeper, group: string, id: string): Promise<number> {
    const isOurs = fleet.name === 'ours';
    const before = isOurs ? await countEvents(this.stage.client, deploymentId(group)) : 0;
    const { began, ms } = await this.timed(group, isBack(this.sizes.rolled), () =>
      this.engine.ask('POST', `/containers/${id}/kill?signal=SIGKILL`),
    );
    await sleep(REST_MS);
    if (isOurs) {
      const events = await this.eventsOf(group);
      this.events.heal.push(events.length - before);
      if (events.length - before > MAX_HEAL_EVENTS) this.say(`a heal left more events than it may, ${tally(events.slice(before))}`);
      this.note('heal, ours', began, momentsOfHeal(events, this.lookout.happenings(group), began));
    }
    return ms;
  }

  /** From the call to the moment when the lookout sees that it is so. */
  private async timed(
    group: string,
    isSo: Parameters<Lookout['next']>[1],
    act: () => Promise<unknown>,
  ): Promise<{ began: number; ms: number }> {
    const began = preciseNow();
    const [ended] = await Promise.all([this.lookout.next(group, isSo), act()]);
    return { began, ms: ended - began };
  }

  private eventsOf(group: string): ReturnType<typeof eventsOf> {
    return eventsOf(this.stage.client, deploymentId(group));
  }

  private note(name: string, ...moments: Parameters<Anatomy['add']>): void {
    const anatomy = this.anatomies.get(name) ?? new Anatomy();
    this.anatomies.set(name, anatomy);
    anatomy.add(...moments);
  }

  results(hasSwarm: boolean): readonly Result[] {
    const { ours, bare, swarm } = this.times;
    const { few, many, rolled, rounds } = this.sizes;
    const against = (peer: Times, what: keyof Times, name: string, max: number | undefined, note: string): Result =>
      timesPeerInTurn({ name, ours: seconds(ours[what]), peer: seconds(peer[what]), of: 's', ...(max !== undefined && { max }), note });
    const inTurn = `by the engine's events; ${rounds} rounds in turn, the median pair`;
    const rows = [
      against(bare, 'few', `0 to ${few}, bare engine`, 1.15, `from apply to the last container running, ${inTurn}; bare: 8 at once`),
      against(bare, 'many', `0 to ${many}, bare engine`, 1.15, `the same with ${many}`),
      against(
        bare,
        'removeFew',
        `delete ${few}, bare engine`,
        1.2,
        `from delete to the last container gone, ${inTurn}; bare: stop and remove, 8 at once`,
      ),
      against(bare, 'removeMany', `delete ${many}, bare engine`, 1.2, `the same with ${many}`),
    ];
    const beside = 'Swarm on the same engine, image by id, no delays';
    const swarmRows = hasSwarm
      ? [
          against(swarm, 'few', `0 to ${few}, Swarm`, 0.6, beside),
          against(swarm, 'many', `0 to ${many}, Swarm`, 0.6, beside),
          timesPeerInTurn({
            name: `0 to ${few}, bare engine to Swarm`,
            ours: seconds(bare.few),
            peer: seconds(swarm.few),
            of: 's',
            note: 'how much of the time of Swarm the engine alone takes: nobody can be quicker than that',
          }),
          against(swarm, 'removeFew', `delete ${few}, Swarm`, 0.6, beside),
          against(swarm, 'removeMany', `delete ${many}, Swarm`, 0.6, beside),
          timesPeer({
            name: 'heal, p50, Swarm',
            ours: median(ours.heal),
            peer: median(swarm.heal),
            of: 'ms',
            max: 0.75,
            note: `from the kill of one of ${rolled} to its replacement running; ${ours.heal.length} times, another one each time; Swarm's restart delay is 0`,
          }),
          against(
            swarm,
            'update',
            `rolling update of ${rolled}, Swarm`,
            0.6,
            `two at a time, stopping first; until ${rolled} new ones and no old one run`,
          ),
        ]
      : [plain('heal, p50', median(ours.heal), 'ms'), plain(`rolling update of ${rolled}`, median(seconds(ours.update)), 's')];
    return [
      ...rows,
      ...swarmRows,
      plain('events from 0 to N', Math.max(...this.events.create), 'events', {
        max: 30,
        note: `the most of all creations of ${few} and ${many}`,
      }),
      plain('events of a heal', Math.max(...this.events.heal), 'events', {
        max: MAX_HEAL_EVENTS,
        note: `the most of ${this.events.heal.length}`,
      }),
    ];
  }
}

const fresh = (): Times => structuredClone(NOTHING);
const seconds = (ms: readonly number[]): readonly number[] => ms.map((one) => one / 1000);
const isKeeper = (fleet: Fleet): fleet is Keeper => 'update' in fleet;

/** What many settled deployments cost while nothing happens. */
async function idle(
  stage: Stage,
  ours: ColonyFleet,
  lookout: Lookout,
  { settled, idleSeconds }: Sizes,
  say: (sentence: string) => void,
): Promise<readonly Result[]> {
  const names = Array.from({ length: settled }, (_, index) => `idle-${index}`);
  const began = preciseNow();
  await Promise.all([
    ...names.map((name) => lookout.next(name, runs(1))),
    inFlight(settled, 8, (index) => ours.create(names[index] ?? '', 1)),
  ]);
  say(`${settled} deployments run after ${Math.round(preciseNow() - began)} ms; ${idleSeconds} s of leaving them alone …`);
  await sleep(5 * REST_MS);
  const before = await historyLength(stage, names);
  const cpuBefore = Object.values(ours.pids).map(cpuMs);
  const since = preciseNow();
  await sleep(idleSeconds * 1000);
  const used = Object.values(ours.pids).map((pid, index) => ((cpuMs(pid) - (cpuBefore[index] ?? 0)) / (preciseNow() - since)) * 100);
  const grown = (await historyLength(stage, names)) - before;
  const pending = await Promise.all(names.map((name) => pendingOf(stage, name)));
  const left = pending.reduce((sum, count) => sum + count, 0);
  say(`idle: worker ${used[0]?.toFixed(2)} %, node agent ${used[1]?.toFixed(2)} % of a core; ${grown} events, ${left} things pending`);
  return [
    plain('events while idle', grown + left, 'events', {
      max: 0,
      note: `${settled} deployments in ${idleSeconds} s, plus timers, activities and workflow tasks pending then`,
    }),
    plain(
      `CPU of ${settled} settled deployments`,
      used.reduce((sum, one) => sum + one, 0),
      '% of a core',
      {
        max: 1,
        note: `worker and node agent together over ${idleSeconds} s`,
      },
    ),
  ];
}

async function historyLength({ client }: Stage, names: readonly string[]): Promise<number> {
  const lengths = await Promise.all(names.map((name) => countEvents(client, deploymentId(name))));
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** What could still write an event by itself. */
async function pendingOf({ client }: Stage, name: string): Promise<number> {
  const { raw } = await client.workflow.getHandle(deploymentId(name)).describe();
  const timers = pendingTimers(await eventsOf(client, deploymentId(name)));
  return timers + (raw.pendingActivities?.length ?? 0) + (raw.pendingWorkflowTask ? 1 : 0);
}
