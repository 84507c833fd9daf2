import { setTimeout as sleep } from 'node:timers/promises';
import { BARE_QUEUE } from '../bare/contract.ts';
import { startBare } from '../bare/index.ts';
import type { fan } from '../bare/workflow.ts';
import { openDoor } from '../ours/door.ts';
import { startOurs } from '../ours/index.ts';
import { API_VERSION, widget, widgetId } from '../ours/widget.ts';
import { plain, timesPeerInTurn } from '../report/results.ts';
import { median, summary } from '../report/statistics.ts';
import { eventsOf, observedAt, readyAt, tally, timeOf } from '../stage/histories.ts';
import { preciseNow } from '../stage/precise-now.ts';
import type { Context, Result, Suite } from '../suite.ts';

const STEPS = 100;
const COMPONENTS = 10;

/** What composites and flows cost above doing the same by hand. */
export const suite: Suite = { name: 'flows', run };

async function run(context: Context): Promise<readonly Result[]> {
  await startOurs(context.stage);
  await startBare(context.stage);
  return [...(await runs(context)), ...(await applications(context))];
}

async function runs({ quick, stage, say }: Context): Promise<readonly Result[]> {
  const door = await openDoor(stage);
  const taken = { ours: [] as number[], bare: [] as number[], events: [] as number[] };
  for (let round = -1; round < (quick ? 2 : 15); round += 1) {
    const name = `fan-${round + 1}`;
    const ours = async (): Promise<number> => {
      await door.apply(fanOut(name));
      const { began, ended, events } = await endOf(stage.client, runId(name), (all) => readyAt(all));
      if (round >= 0) taken.events.push(events.length / STEPS);
      if (round === 0) say(`a run of ${STEPS} steps: ${tally(events)}`);
      if (round === 0) say(`ours: ${milestones(events, ended)}`);
      return ended - began;
    };
    const bare = async (): Promise<number> => {
      const workflowId = `bare-${name}`;
      await stage.client.workflow.execute<typeof fan>('fan', { workflowId, taskQueue: BARE_QUEUE, args: [STEPS - 2] });
      const { began, ended, events } = await endOf(stage.client, workflowId, (all) => timeOf(all.at(-1) ?? {}));
      if (round === 0) say(`by hand: ${milestones(events, ended)}`);
      return ended - began;
    };
    const first = round % 2 === 0 ? await ours() : await bare();
    const second = round % 2 === 0 ? await bare() : await ours();
    if (round < 0) continue; // warm now
    taken.ours.push(round % 2 === 0 ? first : second);
    taken.bare.push(round % 2 === 0 ? second : first);
  }
  say(`${STEPS} steps: ours ${summary(taken.ours, 'ms')}, by hand ${summary(taken.bare, 'ms')}`);
  return [
    timesPeerInTurn({
      name: `${STEPS} steps out and in`,
      ours: taken.ours,
      peer: taken.bare,
      of: 'ms',
      max: 1.3,
      note: 'one step, 98 at once, one that gathers them, all activities that do nothing; from the start of the workflow to the event that shows the run as succeeded (by hand: to its completion)',
    }),
    plain('events per step', median(taken.events), 'events', { max: 8, note: 'of the whole history of such a run' }),
  ];
}

async function applications({ quick, stage, say }: Context): Promise<readonly Result[]> {
  const door = await openDoor(stage);
  const taken = { ours: [] as number[], byHand: [] as number[] };
  for (let round = -1; round < (quick ? 2 : 15); round += 1) {
    const composed = async (): Promise<number> => {
      const name = `app-${round + 1}`;
      const began = preciseNow();
      await door.apply(application(name));
      const { ended, events } = await endOf(stage.client, applicationId(name), (all) => readyAt(all));
      if (round === 0) say(`an Application of ${COMPONENTS} components: ${tally(events)}`);
      if (round === 0) say(`an Application: ${await wayOf(stage.client, name, events, began)}`);
      return ended - began;
    };
    const byHand = async (): Promise<number> => {
      const names = Array.from({ length: COMPONENTS }, (_, index) => `by-hand-${round + 1}-${index}`);
      const began = preciseNow();
      await Promise.all(names.map((name) => door.apply(widget(name, 1))));
      const ends = names.map((name) => until(async () => observedAt(await eventsOf(stage.client, widgetId(name)), 1)));
      return Math.max(...(await Promise.all(ends))) - began;
    };
    const [first, second] = round % 2 === 0 ? [await composed(), await byHand()] : [await byHand(), await composed()];
    if (round < 0) continue;
    taken.ours.push(round % 2 === 0 ? first : second);
    taken.byHand.push(round % 2 === 0 ? second : first);
  }
  say(`${COMPONENTS} components: an Application ${summary(taken.ours, 'ms')}, by hand ${summary(taken.byHand, 'ms')}`);
  return [
    timesPeerInTurn({
      name: `Application of ${COMPONENTS} components`,
      ours: taken.ours,
      peer: taken.byHand,
      of: 'ms',
      max: 1.5,
      note: 'resources whose handler does nothing, without dependencies; from the call of apply to the event that shows the Application as ready; by hand: ten calls at once, to the event that shows the last one as observed',
    }),
  ];
}

const step = (name: string, dependsOn: readonly string[]) => ({
  name,
  dependsOn,
  functionSpec: { funcName: 'nothing', conditions: { executorType: 'bench-executor' }, kwargs: { step: name } },
});

function fanOut(name: string) {
  const middle = Array.from({ length: STEPS - 2 }, (_, index) => `middle-${index}`);
  const steps = [step('first', []), ...middle.map((each) => step(each, ['first'])), step('last', middle)];
  return { apiVersion: 'automation.colonies.io/v1', kind: 'WorkflowRun', metadata: { name, namespace: 'default' }, spec: { steps } };
}

function application(name: string) {
  const components = Array.from({ length: COMPONENTS }, (_, index) => ({
    name: `part-${index}`,
    apiVersion: API_VERSION,
    kind: 'Widget',
    spec: { colour: 'red', size: 1 },
  }));
  return { apiVersion: 'app.colonies.io/v1', kind: 'Application', metadata: { name, namespace: 'default' }, spec: { components } };
}

const runId = (name: string): string => `workflowruns.automation.colonies.io/default/${name}`;
const applicationId = (name: string): string => `applications.app.colonies.io/default/${name}`;

/** Where the time goes, by the histories of an Application and its components. */
async function wayOf(client: Parameters<typeof eventsOf>[0], name: string, events: Events, began: number): Promise<string> {
  const at = (time: number | undefined): string => `${Math.round((time ?? 0) - began)} ms`;
  const first = (kind: keyof Events[number]): string => at(timesOf(events, kind)[0]);
  const parts = await Promise.all(Array.from({ length: COMPONENTS }, (_, index) => eventsOf(client, widgetId(`${name}-part-${index}`))));
  const started = parts.map(([event]) => timeOf(event ?? {}));
  const ready = parts.map((one) => readyAt(one) ?? 0);
  const heard = timesOf(events, 'workflowExecutionSignaledEventAttributes');
  return [
    `started ${at(timeOf(events[0] ?? {}))}`,
    `step asked ${first('activityTaskScheduledEventAttributes')}, taken ${first('activityTaskStartedEventAttributes')}`,
    `components started ${at(Math.min(...started))} to ${at(Math.max(...started))}, ready ${at(Math.min(...ready))} to ${at(Math.max(...ready))}`,
    `heard of ${at(heard[0])} to ${at(heard.at(-1))}`,
    `step done ${first('activityTaskCompletedEventAttributes')}`,
    `ready ${at(readyAt(events))}`,
  ].join('; ');
}

const timesOf = (events: Events, kind: keyof Events[number]): readonly number[] => events.filter((event) => event[kind]).map(timeOf);

/** Where the time goes, by the history: when the first, the many and the last step were asked for and done. */
function milestones(events: Events, ended: number): string {
  const began = timeOf(events[0] ?? {});
  const asked = timesOf(events, 'activityTaskScheduledEventAttributes');
  const done = timesOf(events, 'activityTaskCompletedEventAttributes');
  const at = (time: number | undefined): string => `${Math.round((time ?? 0) - began)} ms`;
  const many = `the many asked ${at(asked[1])} to ${at(asked.at(-2))}, done ${at(done[1])} to ${at(done.at(-2))}`;
  return `first asked ${at(asked[0])}, done ${at(done[0])}; ${many}; last asked ${at(asked.at(-1))}, done ${at(done.at(-1))}; over ${at(ended)}`;
}

type Events = Awaited<ReturnType<typeof eventsOf>>;

/** Reads the history when it is over, and only then now and again: reading slows down what is read. */
async function endOf(client: Parameters<typeof eventsOf>[0], workflowId: string, endIn: (events: Events) => number | undefined) {
  let events: Events = [];
  const ended = await until(async () => {
    events = await eventsOf(client, workflowId);
    return endIn(events);
  });
  return { began: timeOf(events[0] ?? {}), ended, events };
}

async function until(look: () => Promise<number | undefined>): Promise<number> {
  for (;;) {
    await sleep(100);
    const found = await look();
    if (found !== undefined) return found;
  }
}
