import type { Sighting } from '../../core/instance.ts';
import { laneOf } from '../lanes.ts';
import type { RestartRule } from '../replicated.ts';
import { type Stage, template } from './stage.ts';
import type { Box, Mode } from './world.ts';

/** What happens next: an index into a list of happenings, and two numbers to choose with. */
export type Happening = readonly [what: number, which: number, how: number];

const MODES: readonly Mode[] = ['good', 'good', 'good', 'slow', 'slow', 'never', 'crash', 'lame', 'late', 'done'];
/** Those that never take away what they once gave. */
const STEADY: readonly Mode[] = ['good', 'good', 'slow', 'slow', 'never', 'crash', 'lame'];
const PAUSES = [10, 500, 2_000, 6_000, 21_000, 70_000, 310_000, 700_000];
const NODES: readonly (readonly string[])[] = [['a'], ['b'], ['a', 'b'], ['b', 'a']];
const POLICIES: readonly RestartRule['policy'][] = ['Always', 'OnFailure', 'Never'];

const pick = <T>(items: readonly T[], index: number): T | undefined => items[index % Math.max(1, items.length)];

type Held = { readonly node: string; readonly seen: Sighting };

type Act = (stage: Stage, which: number, how: number, held: Held[]) => void;

const nodeOf = (which: number): string => (which % 2 === 0 ? 'a' : 'b');

function fly(stage: Stage, which: number): void {
  const lane = pick([...stage.flights.keys()], which);
  if (lane !== undefined) stage.advance(lane);
}

function land(stage: Stage, which: number): void {
  const lane = pick([...stage.flights.keys()], which);
  while (lane !== undefined && stage.flights.has(lane) && !stage.advance(lane));
}

/** Time passes while what flies goes on flying. */
function tick(stage: Stage, _which: number, how: number): void {
  stage.world.advance(stage.world.now + (pick(PAUSES, how) ?? 0));
  if (stage.wakeAt !== undefined && stage.wakeAt <= stage.world.now) stage.pass();
}

const retry: Act = (stage, which, how) => {
  const lane = pick([...stage.flights.keys()], which);
  if (lane !== undefined) stage.retry(lane, how % 2 === 1);
};

const changeTemplate =
  (modes: readonly Mode[]): Act =>
  (stage, which, how) =>
    stage.apply({ template: template(which % 4, pick(modes, how)) });

const toBox =
  (act: (box: Box, stage: Stage) => void): Act =>
  (stage, which) => {
    const box = pick(stage.world.boxes, which);
    if (box) act(box, stage);
  };

/** What an orderly life brings: work, time, and new templates of whatever quality. */
export const orderly: readonly Act[] = [
  fly,
  fly,
  fly,
  fly,
  land,
  land,
  tick,
  tick,
  (stage, _which, how) => stage.wait(pick(PAUSES, how) ?? 0),
  (stage) => void stage.tellAll(),
  (stage, which) => retry(stage, which, 0, []),
  changeTemplate(STEADY),
  changeTemplate(STEADY),
  (stage, _which, how) => stage.say(how % 2 === 0),
  (stage) => stage.nudge(),
];

/** Everything that can go wrong, and every change of mind. */
export const anything: readonly Act[] = [
  ...orderly,
  changeTemplate(MODES),
  changeTemplate(MODES),
  retry,
  (stage, which) => void stage.tell(nodeOf(which)),
  (stage, which, _how, held) => {
    const node = nodeOf(which);
    const seen = stage.look(node);
    if (seen) held.push({ node, seen });
  },
  (stage, _which, how, held) => {
    const late = pick(held, how);
    if (late) stage.tell(late.node, late.seen);
  },
  toBox((box, { world }) => world.kill(box)),
  toBox((box, { world }) => world.kill(box)),
  toBox((box, { world }) => world.remove(box.id)),
  toBox((box) => {
    if (box.state === 'running') box.state = 'paused';
  }),
  toBox((box) => {
    box.handEdited = true;
  }),
  toBox((box) => {
    box.unhealthy = box.state === 'running';
  }),
  toBox((box) => {
    if (box.state !== 'running') box.state = 'dead';
  }),
  toBox((box, { world }) => world.clone(box)),
  ({ world }, which, how) => void (how % 2 === 0 ? world.unreachable.add(nodeOf(which)) : world.unreachable.delete(nodeOf(which))),
  ({ world }, which, how) => {
    const place = `${nodeOf(which)}/${how % 3}`;
    if (world.problems.delete(place)) return;
    world.problems.set(place, { reason: how % 2 === 0 ? 'PortTaken' : 'Blocked', message: 'It cannot be started.' });
  },
  ({ world }) => world.zombies.shift()?.(),
  (stage, which) => stage.apply({ replicas: which % 6 }),
  (stage, which, how) => {
    const surge = how % 3;
    const strategy = {
      ...stage.spec.strategy,
      type: which % 5 === 0 ? ('Recreate' as const) : ('RollingUpdate' as const),
      maxSurge: surge,
      maxUnavailable: Math.max(surge === 0 ? 1 : 0, which % 3),
      minReadySeconds: which % 2 === 0 ? 0 : 5,
      onFailure: how % 2 === 0 ? ('Pause' as const) : ('Rollback' as const),
    };
    stage.apply({ strategy });
  },
  (stage, which) => stage.apply({ paused: which % 2 === 0 }),
  (stage, which) => stage.apply({ nodes: pick(NODES, which) ?? [] }),
  (stage, which) => stage.apply({ restart: { ...stage.spec.restart, policy: pick(POLICIES, which) ?? 'Always' } }),
];

/** Lets the happenings happen, one after the other. */
export function live(stage: Stage, happenings: readonly Happening[], acts: readonly Act[]): void {
  const held: Held[] = [];
  for (const [what, which, how] of happenings) pick(acts, what)?.(stage, which, how, held);
}

/** The last fault is over: everything can be reached, and whoever was late has come. */
export function mend(stage: Stage): void {
  const { world } = stage;
  world.unreachable.clear();
  world.problems.clear();
  for (const zombie of world.zombies.splice(0)) zombie();
  for (const node of ['a', 'b']) if (stage.observed[laneOf(node)]) stage.tell(node);
}
