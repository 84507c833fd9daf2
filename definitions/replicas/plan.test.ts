import { describe, expect, it } from 'vitest';
import type { InstanceWish } from '../core/instance.ts';
import type { View } from '../core/plan.ts';
import { laneOf } from './lanes.ts';
import { planReplicas } from './plan.ts';
import { defaultRestart, type Replicated } from './replicated.ts';
import { replicated, Stage, template } from './test-double/stage.ts';
import type { Box } from './test-double/world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

function settled(...[more]: Parameters<typeof replicated>): Stage {
  const stage = new Stage(replicated(more));
  stage.settle();
  return stage;
}

const slotsOf = ({ world }: Stage): number[] => world.boxes.map(({ slot }) => slot).sort((a, b) => a - b);
const idsOf = ({ world }: Stage): string[] => world.boxes.map(({ id }) => id).sort();
const boxIn = ({ world }: Stage, slot: number): Box => world.boxes.find((box) => box.slot === slot) as Box;
const wishOf = ({ steps }: Stage): InstanceWish => steps[0]?.input as unknown as InstanceWish;

describe('a first start', () => {
  it('fills the slots from 0 on with one step, and is ready when they are', () => {
    const stage = new Stage(replicated({ replicas: 3 }));
    stage.pass();
    expect(stage.steps).toHaveLength(1);
    expect(stage.steps[0]).toMatchObject({
      about: 'instances/node',
      queue: 'colony-node-node',
      activity: 'syncInstances',
      reason: 'StartingInstances',
      summary: 'start slots 0-2 on node',
    });
    expect(wishOf(stage)).toMatchObject({ revisions: [{ slots: [0, 1, 2] }], remove: [], restart: [], resting: [] });
    expect(wishOf(stage).settleMs, 'a process that ends at once is no replica').toBeGreaterThan(0);
    expect(stage.condition('Ready').status).toBe('False');
    stage.settle();
    expect(stage.condition('Ready')).toMatchObject({ status: 'True', message: '3 of 3 replicas are ready.' });
    expect(stage.facts).toMatchObject({ replicas: 3, readyReplicas: 3, observedGeneration: 1, rollout: { state: 'Complete' } });
  });

  it('goes over the nodes in turn', () => {
    const stage = settled({ replicas: 4, nodes: ['a', 'b'] });
    expect(stage.world.boxes.map(({ slot, node }) => `${slot}${node}`).sort()).toEqual(['0a', '1b', '2a', '3b']);
  });
});

describe('a node that nobody is on', () => {
  it('is started on when somebody comes, after a look', () => {
    const stage = new Stage(replicated({ replicas: 2 }));
    stage.pass();
    stage.ignore(laneOf('node'));
    expect(stage.log).toEqual(['StartingInstances: start slots 0-1 on node', 'Looking: wait for somebody on node']);
    stage.settle();
    expect(slotsOf(stage)).toEqual([0, 1]);
    expect(stage.condition('Ready').status).toBe('True');
  });
});

describe('when all is as it should be', () => {
  it('nothing is done, nothing is waited for, and the status stays the same text, also hours later', () => {
    const stage = settled({ replicas: 3, strategy: { minReadySeconds: 10 } });
    const status = JSON.stringify(stage.facts);
    stage.pass();
    stage.world.now += 5 * HOUR;
    stage.pass();
    expect([stage.steps, stage.wakeAt]).toEqual([[], undefined]);
    expect(JSON.stringify(stage.facts)).toBe(status);
  });

  it('a change of strategy, policy or number touches nothing that runs', () => {
    const stage = settled({ replicas: 3 });
    const ids = idsOf(stage);
    stage.apply({ strategy: { ...stage.spec.strategy, type: 'Recreate' } });
    stage.apply({ restart: { ...defaultRestart, policy: 'OnFailure' } });
    stage.apply({ replicas: 4 });
    stage.settle();
    expect(idsOf(stage)).toEqual(expect.arrayContaining(ids));
    expect(stage.facts.observedGeneration).toBe(4);
  });

  it('somebody who asks gets exactly one look, on every node', () => {
    const stage = settled({ replicas: 2, nodes: ['a', 'b'] });
    const before = stage.log.length;
    stage.nudge();
    stage.settle();
    stage.wait(HOUR);
    expect(stage.log.slice(before)).toEqual(['Looking: look on a', 'Looking: look on b']);
  });
});

describe('a flight that ended without an answer', () => {
  it('is looked after before anything is said: it may have started what nobody wants now', () => {
    const stage = settled({ replicas: 0 });
    const view = stage.view();
    const [node = ''] = stage.facts.nodes;
    const observed = { ...view.observed, [`instances/${node}`]: lostLook };
    const { steps, conditions } = planReplicas({ ...view, observed }, (spec) => spec).plan;
    expect(steps.map(({ activity }) => activity)).toContain('syncInstances');
    expect(conditions?.find(({ type }) => type === 'Ready')?.status).not.toBe('True');
  });

  it('is looked after also when it was the first of its node: nobody has ever told what is there', () => {
    const stage = new Stage(replicated({ replicas: 1 }));
    stage.pass();
    stage.advance(laneOf('node'));
    expect(stage.world.boxes).toHaveLength(1);
    stage.apply({ replicas: 0 });
    stage.lose(laneOf('node'));
    expect(stage.condition('Ready').status).not.toBe('True');
    stage.settle();
    expect(stage.world.boxes).toEqual([]);
    expect(stage.condition('Ready').status).toBe('True');
  });

  it('is not looked for where nothing was ever asked for', () => {
    const stage = settled({ replicas: 0 });
    stage.apply({ paused: true });
    stage.apply({ paused: false });
    expect(stage.log).toEqual([]);
    expect(stage.condition('Ready').status).toBe('True');
  });

  const lostLook = { key: 'sync', generation: 1, at: 0, value: { asOf: { boot: 'b', seq: 1 }, instances: [] }, lost: true as const };
});

describe('a look that somebody asks for', () => {
  it('is not owed by a node that cannot be seen, nor repeated on the others meanwhile', () => {
    const stage = settled({ replicas: 2, nodes: ['a', 'b'] });
    stage.world.unreachable.add('b');
    stage.calm();
    stage.nudge();
    stage.calm();
    const before = stage.log.length;
    boxIn(stage, 0).readyAt = Number.POSITIVE_INFINITY;
    stage.calm();
    stage.world.unreachable.clear();
    stage.calm();
    expect(stage.log.slice(before)).toEqual([]);
  });
});

describe('scaling', () => {
  it('down, those that do not work go first, then the youngest; the others stay themselves', () => {
    const stage = settled({ replicas: 5 });
    const [kept1, kept3] = [boxIn(stage, 1).id, boxIn(stage, 3).id];
    boxIn(stage, 0).readyAt = Number.POSITIVE_INFINITY;
    stage.calm();
    stage.wait(HOUR);
    stage.world.kill(boxIn(stage, 2));
    stage.calm();
    stage.apply({ replicas: 3 });
    stage.settle();
    expect(slotsOf(stage)).toEqual([1, 3, 4]);
    expect(idsOf(stage)).toEqual(expect.arrayContaining([kept1, kept3]));
    expect(stage.log.at(-1)).toBe('ScalingDown: remove slots 0, 2 (fewer are wished) on node');
  });

  it('up, the lowest free slots are filled', () => {
    const stage = settled({ replicas: 3 });
    boxIn(stage, 1).readyAt = Number.POSITIVE_INFINITY;
    stage.calm();
    stage.apply({ replicas: 2 });
    stage.settle();
    expect(slotsOf(stage)).toEqual([0, 2]);
    stage.apply({ replicas: 4 });
    stage.settle();
    expect(slotsOf(stage)).toEqual([0, 1, 2, 3]);
  });

  it('to nothing and back', () => {
    const stage = settled({ replicas: 3 });
    stage.apply({ replicas: 0 });
    stage.settle();
    expect(stage.world.boxes).toEqual([]);
    expect(stage.condition('Ready')).toMatchObject({ status: 'True', message: '0 of 0 replicas are ready.' });
    stage.apply({ replicas: 3 });
    stage.settle();
    expect(slotsOf(stage)).toEqual([0, 1, 2]);
  });
});

describe('an instance that ends', () => {
  it('is started again at once, then after 1 s, 2 s, 4 s … 300 s, and the next time is said', () => {
    const stage = new Stage(replicated({ replicas: 1, template: template(1, 'crash') }));
    stage.pass();
    stage.wait(2 * HOUR);
    const [starts] = [...stage.world.starts.values()];
    const gaps = starts!.slice(1).map((at, index) => Math.round((at - starts![index]!) / SECOND));
    expect(gaps.slice(0, 13)).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
    const [instance] = stage.facts.instances;
    expect(instance).toMatchObject({ state: 'exited', restarts: starts!.length - 1, lastExit: { code: 1, log: expect.any(String) } });
    expect(Date.parse(instance!.nextRestartTime!)).toBe(stage.wakeAt);
    expect(stage.condition('Degraded')).toMatchObject({ status: 'True', reason: 'CrashLoopBackOff' });
    expect(stage.passes).toBeLessThan(150);
  });

  it('is not relied on for a while once it has ended again and again, however ready it looks', () => {
    const stage = settled({ replicas: 1 });
    const end = (): void => {
      stage.world.kill(boxIn(stage, 0));
      stage.wait(2 * SECOND);
    };
    end();
    expect(stage.condition('Ready').status).toBe('True');
    end();
    expect(stage.facts).toMatchObject({ readyReplicas: 1, availableReplicas: 0 });
    expect(stage.condition('Ready')).toMatchObject({ status: 'False', reason: 'CrashLoopBackOff' });
    stage.wait(10 * SECOND);
    expect(stage.facts).toMatchObject({ readyReplicas: 1, availableReplicas: 1 });
    expect(stage.condition('Ready').status).toBe('True');
    expect(stage.condition('Degraded').status).toBe('False');
  });

  it('is forgiven after ten minutes of life', () => {
    const stage = settled({ replicas: 1 });
    for (let times = 0; times < 4; times += 1) {
      stage.world.kill(boxIn(stage, 0));
      stage.wait(30 * SECOND);
    }
    expect(stage.facts.instances[0]).toMatchObject({ crashes: 4, restarts: 4 });
    stage.wait(10 * MINUTE);
    stage.world.kill(boxIn(stage, 0));
    stage.calm();
    expect(stage.facts.instances[0]).toMatchObject({ crashes: 1, restarts: 5, state: 'running' });
  });

  it.each([
    { policy: 'Never' as const, mode: 'crash' as const, starts: 1, ready: 'False' },
    { policy: 'Never' as const, mode: 'done' as const, starts: 1, ready: 'True' },
    { policy: 'OnFailure' as const, mode: 'done' as const, starts: 1, ready: 'True' },
    { policy: 'OnFailure' as const, mode: 'crash' as const, starts: 6, ready: 'False' },
    { policy: 'Always' as const, mode: 'done' as const, starts: 6, ready: 'False' },
  ])('with policy $policy after a $mode is started $starts times in 20 s', ({ policy, mode, starts, ready }) => {
    const stage = new Stage(replicated({ replicas: 1, template: template(1, mode), restart: { ...defaultRestart, policy } }));
    stage.pass();
    stage.wait(20 * SECOND);
    expect([...stage.world.starts.values()].map(({ length }) => length)).toEqual([starts]);
    expect(stage.condition('Ready').status).toBe(ready);
  });

  it('waits for its own back-off only: one beside it is started at once', () => {
    const stage = settled({ replicas: 1, strategy: { maxSurge: 1, maxUnavailable: 0 } });
    const old = boxIn(stage, 0);
    stage.apply({ template: template(2, 'crash') });
    stage.wait(200 * SECOND);
    stage.world.kill(old);
    stage.calm();
    expect(old.state).toBe('running');
  });

  it('is started again although nobody knows how it ended, with the same patience', () => {
    const stage = settled({ replicas: 1 });
    const box = boxIn(stage, 0);
    for (let times = 0; times < 3; times += 1) {
      stage.world.kill(box);
      box.exit = undefined;
      stage.wait(10);
    }
    expect(stage.world.starts.get([...stage.world.starts.keys()][0]!)).toHaveLength(2);
    expect(stage.wakeAt! - stage.world.now).toBeGreaterThan(500);
  });
});

describe('an instance that', () => {
  it('is unhealthy is restarted, with the same patience', () => {
    const stage = new Stage(replicated({ replicas: 1, template: template(1, 'lame') }));
    stage.pass();
    stage.wait(20 * SECOND);
    expect([...stage.world.starts.values()][0]).toHaveLength(6);
    expect(stage.log).toContain('Healing: restart slot 0 (it hangs) on node');
    expect(stage.condition('Ready')).toMatchObject({ status: 'False', reason: 'Unhealthy', message: expect.stringContaining('it hangs') });
  });

  it('was removed by hand is made again in its slot', () => {
    const stage = settled({ replicas: 3 });
    stage.world.remove(boxIn(stage, 1).id);
    stage.settle();
    expect(slotsOf(stage)).toEqual([0, 1, 2]);
  });

  it('was paused by hand is woken up', () => {
    const stage = settled({ replicas: 1 });
    boxIn(stage, 0).state = 'paused';
    stage.settle();
    expect(boxIn(stage, 0).state).toBe('running');
  });

  it('was changed by hand is replaced, one at a time', () => {
    const stage = settled({ replicas: 3 });
    for (const box of stage.world.boxes) box.handEdited = true;
    let least = 3;
    stage.world.changed = () => {
      least = Math.min(least, stage.world.boxes.length);
    };
    stage.settle();
    expect(least).toBe(2);
    expect(stage.world.boxes.some(({ handEdited }) => handEdited)).toBe(false);
    expect(stage.log).toContain('Healing: remove slot 0 (changed by hand), start slot 0 on node');
  });

  it('is there twice is there once, and the better one stays', () => {
    const stage = settled({ replicas: 2 });
    const ids = idsOf(stage);
    stage.world.clone(boxIn(stage, 0));
    const twin = stage.world.boxes.at(-1) as Box;
    stage.world.kill(twin);
    stage.settle();
    expect(idsOf(stage)).toEqual(ids);
    expect(stage.log.at(-1)).toBe('Healing: remove slot 0 (one too many) on node');
  });
});

describe('a problem', () => {
  const blocked = (reason: 'PortTaken' | 'Blocked'): Stage => {
    const stage = settled({ replicas: 2 });
    stage.world.problems.set('node/2', { reason, message: 'It cannot be.' });
    stage.apply({ replicas: 3 });
    stage.calm();
    return stage;
  };
  const tries = (stage: Stage): number => stage.log.filter((line) => line.includes('start slot 2')).length;

  it('that may pass is tried again after 1 s, 2 s, 4 s …, and harms nobody else', () => {
    const stage = blocked('PortTaken');
    stage.wait(20 * SECOND);
    expect(tries(stage)).toBe(5);
    expect(stage.facts.problems).toMatchObject([{ slot: 2, node: 'node', reason: 'PortTaken', tries: 5 }]);
    expect(stage.condition('Degraded')).toMatchObject({ status: 'True', reason: 'PortTaken', message: 'It cannot be.' });
    expect(slotsOf(stage)).toEqual([0, 1]);
  });

  it('that only a person can mend is tried again every five minutes', () => {
    const stage = blocked('Blocked');
    stage.wait(11 * MINUTE);
    expect(tries(stage)).toBe(3);
  });

  it('is tried again now when somebody wants it looked at, once for each time', () => {
    const stage = blocked('Blocked');
    const before = stage.facts.nextTryTime;
    stage.nudge();
    stage.calm();
    expect(tries(stage)).toBe(2);
    expect(stage.facts.nextTryTime, 'it does not come later for that').toBe(before);
    stage.world.problems.clear();
    stage.nudge();
    stage.settle();
    expect(slotsOf(stage)).toEqual([0, 1, 2]);
    expect(tries(stage)).toBe(3);
  });

  it('is over when its slot runs, also when its instance is older than the spec', () => {
    const stage = blocked('PortTaken');
    stage.world.problems.clear();
    stage.settle();
    expect(stage.facts.problems).toBeUndefined();
    stage.apply({ strategy: { ...stage.spec.strategy, minReadySeconds: 1 } });
    stage.settle();
    stage.world.problems.set('node/0', { reason: 'PortTaken', message: 'It cannot be.' });
    stage.world.kill(boxIn(stage, 0));
    stage.calm();
    expect(stage.facts.problems).toHaveLength(1);
    stage.world.problems.clear();
    stage.settle();
    expect(stage.facts.problems).toBeUndefined();
    expect(stage.condition('Degraded').status).toBe('False');
  });

  it('of one spec does not hold up the next', () => {
    const stage = blocked('Blocked');
    stage.world.problems.clear();
    stage.apply({ replicas: 4 });
    stage.calm();
    expect(slotsOf(stage)).toEqual([0, 1, 2, 3]);
  });

  it('of a whole node is said once and tried again slowly', () => {
    const stage = new Stage(replicated({ replicas: 2 }));
    stage.world.withoutRuntime.add('node');
    stage.pass();
    stage.wait(11 * MINUTE);
    expect(stage.log).toHaveLength(3);
    expect(stage.condition('Ready')).toMatchObject({ status: 'False', reason: 'RuntimeUnavailable' });
    stage.world.withoutRuntime.clear();
    stage.settle();
    expect(stage.condition('Ready').status).toBe('True');
    expect(stage.facts.problems).toBeUndefined();
  });
});

describe('an image', () => {
  const withImage = (image: string) => template(1, 'good', { runtime: 'docker', image });

  it('that is missing harms nothing that runs, and is asked for again after five minutes', () => {
    const stage = settled({ replicas: 2, template: withImage('app:1') });
    const ids = idsOf(stage);
    const answer = stage.images;
    stage.images = (image) => ({ image, problem: { reason: 'ImageMissing', message: 'No such image.' } });
    stage.apply({ template: withImage('app:2') });
    stage.calm();
    stage.world.kill(boxIn(stage, 0));
    stage.wait(MINUTE);
    expect(idsOf(stage)).toEqual(ids);
    expect(stage.world.boxes.every(({ state }) => state === 'running')).toBe(true);
    expect(stage.condition('Ready')).toMatchObject({ status: 'False', reason: 'ImageMissing' });
    expect(stage.condition('Available').status).toBe('True');
    const asked = () => stage.log.filter((line) => line === 'ResolvingImage: look up image app:2').length;
    expect(asked()).toBe(1);
    stage.wait(5 * MINUTE);
    expect(asked()).toBe(2);
    stage.images = answer;
    stage.settle();
    expect(stage.condition('Ready').status).toBe('True');
    expect(stage.facts.currentRevision?.image).toBe('app:2@sha256:1');
  });

  it('is looked up for every template, and never for another number', () => {
    const stage = settled({ replicas: 2, template: withImage('app:1') });
    stage.images = (image) => ({ image, pin: { ref: 'sha256:rebuilt' } });
    stage.apply({ replicas: 3 });
    stage.settle();
    expect(stage.facts.currentRevision?.image).toBe('app:1@sha256:1');
    stage.apply({ template: template(2, 'good', { runtime: 'docker', image: 'app:1' }) });
    stage.settle();
    expect(stage.facts.currentRevision?.image).toBe('sha256:rebuilt');
    stage.apply({ template: withImage('app:1') });
    stage.settle();
    expect(stage.facts.currentRevision?.image, 'whoever goes back gets what was there').toBe('app:1@sha256:1');
  });

  it('that was looked up before its key named the template is not looked up again for that', () => {
    const stage = settled({ replicas: 2, template: withImage('app:1') });
    stage.images = (image) => ({ image, pin: { ref: 'sha256:rebuilt' } });
    stage.observed.image = { ...stage.observed.image!, key: 'image/IfNotPresent/app:1' };
    stage.nudge();
    stage.settle();
    expect(stage.facts.currentRevision?.image).toBe('app:1@sha256:1');
    expect(stage.log.filter((line) => line.startsWith('ResolvingImage'))).toHaveLength(1);
  });

  it('that is gone from its node is looked up again when somebody asks, and only then', () => {
    const stage = settled({ replicas: 1, template: withImage('app:1') });
    stage.images = (image) => ({ image, pin: { ref: 'sha256:rebuilt' } });
    stage.apply({ replicas: 0 });
    stage.settle();
    stage.world.problems.set('node/0', { slot: 0, reason: 'ImageMissing', message: 'It is gone.' });
    stage.apply({ replicas: 1 });
    stage.calm();
    stage.wait(HOUR);
    expect(stage.condition('Ready')).toMatchObject({ status: 'False', reason: 'ImageMissing' });
    const lookups = () => stage.log.filter((line) => line.startsWith('ResolvingImage')).length;
    expect(lookups()).toBe(1);
    stage.nudge();
    stage.world.problems.clear();
    stage.settle();
    expect(lookups()).toBe(2);
    expect(stage.facts.currentRevision?.image).toBe('sha256:rebuilt');
    expect(stage.condition('Ready').status).toBe('True');
  });

  it('that is missing is asked for now when somebody wants it looked at, once for each time', () => {
    const stage = settled({ replicas: 2, template: withImage('app:1') });
    const answer = stage.images;
    stage.images = (image) => ({ image, problem: { reason: 'ImageMissing', message: 'No such image.' } });
    stage.apply({ template: withImage('app:2') });
    stage.calm();
    const asked = () => stage.log.filter((line) => line === 'ResolvingImage: look up image app:2').length;
    stage.nudge();
    stage.calm();
    expect(asked()).toBe(2);
    stage.wait(MINUTE);
    expect(asked()).toBe(2);
    stage.images = answer;
    stage.nudge();
    stage.settle();
    expect(asked()).toBe(3);
    expect(stage.condition('Ready').status).toBe('True');
  });

  it('that is missing is asked for once when the spec comes after somebody wanted another one looked at', () => {
    const stage = settled({ replicas: 1, template: withImage('app:1') });
    stage.nudge();
    stage.calm();
    stage.images = (image) => ({ image, problem: { reason: 'ImageMissing', message: 'No such image.' } });
    stage.apply({ template: withImage('app:2') });
    stage.wait(MINUTE);
    expect(stage.log.filter((line) => line === 'ResolvingImage: look up image app:2')).toHaveLength(1);
  });

  it('that was looked up before colony kept how often it was asked to is not looked up for that again', () => {
    const stage = settled({ replicas: 1, template: withImage('app:1') });
    stage.images = (image) => ({ image, problem: { reason: 'ImageMissing', message: 'No such image.' } });
    stage.apply({ template: withImage('app:2') });
    stage.calm();
    stage.nudge();
    stage.calm();
    expect(stage.observed.image?.nudge).toBe(1);
    stage.observed = Object.fromEntries(Object.entries(stage.observed).map(([lane, { nudge: _kept, ...old }]) => [lane, old]));
    const before = stage.log.length;
    stage.pass();
    stage.wait(MINUTE);
    expect(stage.log.slice(before)).toEqual([]);
  });

  it('that is being asked for is not asked for anew when somebody wants it looked at', () => {
    const stage = new Stage(replicated({ template: withImage('app:1') }));
    stage.pass();
    const [first] = stage.steps;
    stage.nudge();
    stage.pass();
    expect(stage.steps.find(({ about }) => about === 'image')?.key).toBe(first?.key);
  });

  it('that could not be asked for waits for its time, unless somebody wants it looked at', () => {
    const stage = new Stage(replicated({ template: withImage('app:1') }));
    const keyOf = (view: View<Replicated>) => planReplicas(view, (spec) => spec).plan.steps.find(({ about }) => about === 'image')?.key;
    const first = keyOf(stage.view()) ?? '';
    const broken = { key: first, reason: 'RegistryUnreachable', message: 'No answer.', count: 1, since: 0, retryAt: 9e12 };
    expect(keyOf({ ...stage.view(), failing: { image: broken } })).toBe(first);
    expect(keyOf({ ...stage.view(), failing: { image: broken }, nudge: 1 })).not.toBe(first);
  });

  it('that was asked for on a node whose name was mistyped is asked for where the spec says now, and only once', () => {
    const stage = new Stage(replicated({ template: withImage('app:1'), nodes: ['typo'] }));
    stage.pass();
    expect(stage.steps.map(({ queue }) => queue)).toEqual(['colony-node-typo']);
    stage.apply({ nodes: ['a'] });
    expect(stage.steps.map(({ queue }) => queue)).toEqual(['colony-node-a']);
    expect(stage.flights.get('image')?.cancelled, 'nobody waits for the one that is not there').toBe(true);
    stage.lose('image');
    stage.settle();
    stage.apply({ nodes: ['b'] });
    stage.settle();
    expect(stage.world.boxes.every(({ node }) => node === 'b')).toBe(true);
    expect(stage.log.filter((line) => line.startsWith('ResolvingImage'))).toHaveLength(2);
  });
});

describe('a node that nobody can see', () => {
  it('makes the answer Unknown, and nothing is done about it', () => {
    const stage = settled({ replicas: 3 });
    stage.world.unreachable.add('node');
    stage.calm();
    stage.world.kill(boxIn(stage, 0));
    stage.apply({ template: template(2) });
    stage.wait(HOUR);
    expect(stage.steps).toEqual([]);
    expect(stage.condition('Ready')).toMatchObject({ status: 'Unknown', reason: 'NodeUnreachable' });
    expect(stage.condition('Available').status).toBe('Unknown');
    stage.world.unreachable.clear();
    stage.calm();
    stage.say(false);
    stage.settle();
    expect(stage.condition('Ready').status).toBe('True');
  });

  it('does not hold up the others', () => {
    const stage = settled({ replicas: 4, nodes: ['a', 'b'] });
    stage.world.unreachable.add('a');
    stage.calm();
    stage.world.kill(boxIn(stage, 1));
    stage.calm();
    expect(boxIn(stage, 1).state).toBe('running');
  });
});

describe('a delete', () => {
  it('removes everything on every node that ever had something, whatever its state, and asks nobody else', () => {
    const stage = settled({ replicas: 4, nodes: ['a', 'b'] });
    stage.apply({ nodes: ['b', 'c'] });
    stage.world.kill(boxIn(stage, 0));
    stage.delete();
    expect(new Set(stage.steps.map(({ about }) => about))).toEqual(new Set([laneOf('a'), laneOf('b')]));
    expect(stage.isGone).toBe(false);
    stage.calm();
    expect(stage.isGone).toBe(true);
    expect(stage.world.boxes).toEqual([]);
  });

  it('also asks a node that was left before it ever answered', () => {
    const stage = new Stage(replicated({ replicas: 1, nodes: ['a'] }));
    stage.pass();
    stage.apply({ nodes: ['b'] });
    expect(stage.steps, 'nothing begins elsewhere before that is over').toEqual([]);
    stage.delete();
    expect(stage.steps.map(({ about }) => about)).toEqual([laneOf('a')]);
  });

  it('of one that never got as far as a node asks nobody: nothing can be there', () => {
    const stage = new Stage(replicated({ template: template(1, 'good', { runtime: 'docker', image: 'nowhere' }), nodes: ['typo', 'b'] }));
    stage.images = (image) => ({ image, problem: { reason: 'ImageMissing', message: 'There is no such image.' } });
    stage.pass();
    stage.calm();
    stage.delete();
    expect(stage.steps).toEqual([]);
    expect(stage.isGone).toBe(true);
  });

  it('asks a node whose first flight is still in the air, and tells what a forced one may leave', () => {
    const stage = new Stage(replicated({ replicas: 1 }));
    stage.pass();
    stage.advance(laneOf('node'));
    stage.delete();
    expect(stage.report?.plan.leftBehind).toEqual(['Whatever was started on node node: it has never answered.']);
    stage.lose(laneOf('node'));
    expect(stage.isGone).toBe(false);
    stage.wait(HOUR);
    expect(stage.world.boxes).toEqual([]);
    expect(stage.isGone).toBe(true);
  });

  it('does not wait for a node that nobody is on: what was asked of it was never taken', () => {
    const stage = new Stage(replicated({ replicas: 2, nodes: ['a', 'typo'] }));
    stage.pass();
    stage.ignore(laneOf('typo'));
    while (!stage.advance(laneOf('a')));
    const waiting = stage.steps.find(({ about }) => about === laneOf('typo'));
    expect(waiting?.key, 'it is the same flight, for the condition to stay').toBe(stage.failing[laneOf('typo')]?.key);
    expect(waiting?.timeouts.scheduleToStartMs).toBeUndefined();
    expect(waiting?.input, 'whoever comes only looks').toMatchObject({ revisions: [], remove: [], restart: [] });
    stage.delete();
    expect(stage.steps.map(({ about }) => about)).toEqual([laneOf('a')]);
  });

  it('waits for a node that may have taken an earlier flight, although nobody is on it now', () => {
    const stage = new Stage(replicated({ replicas: 1 }));
    stage.pass();
    stage.advance(laneOf('node'));
    stage.apply({ template: template(2) });
    stage.lose(laneOf('node'));
    stage.ignore(laneOf('node'));
    stage.delete();
    expect(stage.steps.map(({ about }) => about)).toEqual([laneOf('node')]);
  });

  it('is not over while a node cannot be reached, nor before one that was never seen was asked', () => {
    const stage = new Stage(replicated({ replicas: 2 }));
    stage.pass();
    stage.advance(laneOf('node'));
    stage.world.unreachable.add('node');
    stage.delete();
    stage.wait(HOUR);
    expect(stage.isGone).toBe(false);
    stage.world.unreachable.clear();
    stage.wait(HOUR);
    expect([stage.isGone, stage.world.boxes]).toEqual([true, []]);
  });
});

describe('a step', () => {
  it('keeps its key while only time passes', () => {
    const stage = settled({ replicas: 3 });
    stage.apply({ template: template(2) });
    const keys = stage.steps.map(({ key }) => key);
    stage.world.now += 20 * SECOND;
    stage.pass();
    expect(stage.steps.map(({ key }) => key)).toEqual(keys);
    expect([...stage.flights.values()].some(({ cancelled }) => cancelled)).toBe(false);
  });

  it('does not end when the back-off of another slot does', () => {
    const stage = settled({ replicas: 2 });
    const [first, second] = [boxIn(stage, 0), boxIn(stage, 1)];
    for (let times = 0; times < 4; times += 1) {
      stage.world.kill(first);
      stage.wait(4 * SECOND - 100);
    }
    stage.world.kill(first);
    stage.calm();
    stage.world.kill(second);
    stage.tellAll();
    const [key] = stage.steps.map((step) => step.key);
    stage.world.now += 10 * SECOND;
    stage.pass();
    expect(stage.steps.map((step) => step.key)).toEqual([key]);
  });

  it('after a newer look is another flight, also when it wishes the same', () => {
    const stage = settled({ replicas: 1 });
    const first = planReplicas({ ...stage.view(), nudge: 1 }, (spec) => spec).plan.steps[0]?.key;
    stage.observed = { ...stage.observed, [laneOf('node')]: { ...stage.observed[laneOf('node')]!, at: stage.world.now + 1 } };
    expect(planReplicas({ ...stage.view(), nudge: 1 }, (spec) => spec).plan.steps[0]?.key).not.toBe(first);
  });
});

describe('the status', () => {
  it('of a hundred replicas in trouble has less than 100 kB', () => {
    const stage = new Stage(replicated({ replicas: 100, template: template(1, 'crash') }));
    stage.pass();
    stage.wait(MINUTE);
    expect(stage.facts.instances).toHaveLength(100);
    expect(JSON.stringify(stage.facts).length).toBeLessThan(100_000);
  });

  it('remembers enough of more replicas than it shows: all become available in the end', () => {
    const stage = new Stage(replicated({ replicas: 130, strategy: { minReadySeconds: 10 } }));
    stage.settle();
    expect(stage.condition('Ready').status).toBe('True');
    expect([stage.steps, stage.wakeAt]).toEqual([[], undefined]);
  });
});

describe('what is told beside an answer', () => {
  const blocked = { reason: 'PortTaken', message: 'Port 80 is taken.' } as const;

  it('does not make a node try for ever what somebody asked for once, while another node cannot be reached', () => {
    const stage = new Stage(replicated({ replicas: 0, nodes: ['a', 'b'] }));
    stage.pass();
    stage.world.unreachable.add('b');
    stage.world.problems.set('a/0', blocked);
    stage.nudge();
    stage.apply({ replicas: 1 });
    stage.wait(10);
    expect(stage.log.filter((line) => line.includes('start slot 0 on a')).length).toBeLessThan(3);
    expect(stage.condition('Degraded')).toMatchObject({ status: 'True', reason: 'PortTaken' });
  });

  it('is over with the one that shall be there, also of one that was to stand in for it', () => {
    const stage = settled({ replicas: 1, nodes: ['a'], strategy: { maxSurge: 0, onFailure: 'Pause' } });
    stage.world.problems.set('a/0', blocked);
    stage.apply({ template: template(2) });
    stage.wait(11 * MINUTE);
    expect(stage.facts).toMatchObject({ rollout: { state: 'Failed' }, problems: [{ slot: 0 }, { slot: 0 }] });
    stage.world.problems.clear();
    stage.say(false);
    stage.wait(5 * MINUTE);
    expect(stage.condition('Ready').status).toBe('True');
    expect(stage.condition('Degraded').status).toBe('False');
    expect(stage.facts.problems).toBeUndefined();
  });

  it('is no problem of a slot in which another worker, thought dead, has started it', () => {
    const stage = new Stage(replicated({ replicas: 1, nodes: ['a'] }));
    stage.pass();
    stage.retry(laneOf('a'), true);
    stage.world.problems.set('a/0', blocked);
    stage.advance(laneOf('a'));
    stage.world.problems.clear();
    stage.world.zombies.shift()?.();
    stage.advance(laneOf('a'));
    expect(stage.observed[laneOf('a')]?.value).toMatchObject({ instances: [{ slot: 0, state: 'running' }], problems: [{ slot: 0 }] });
    expect(stage.condition('Ready').status).toBe('True');
    expect(stage.condition('Degraded').status).toBe('False');
  });
});

describe('a port of the node', () => {
  const withPort = (version: number, host?: number) =>
    template(version, 'good', { ports: [{ container: 80, protocol: 'tcp', ...(host === undefined ? {} : { host }) }] });

  it('that is taken takes nothing away that works without it', () => {
    const stage = settled({ replicas: 1, template: withPort(1), strategy: { progressDeadlineSeconds: 10, onFailure: 'Pause' } });
    const ids = idsOf(stage);
    stage.world.refuses = ({ template: { ports } }) => ports.some(({ host }) => host === 8080);
    stage.apply({ template: withPort(1, 8080) });
    stage.calm();
    stage.wait(MINUTE);
    expect(idsOf(stage)).toEqual(ids);
    expect(stage.condition('Available').status).toBe('True');
  });

  it('is free before the next one gets it', () => {
    const stage = settled({ replicas: 1, template: withPort(1, 8080) });
    let most = 0;
    stage.world.changed = () => {
      most = Math.max(most, stage.world.boxes.filter(({ state }) => state === 'running').length);
    };
    stage.apply({ template: withPort(2, 8080) });
    stage.settle();
    expect(most).toBe(1);
    expect(stage.condition('Ready').status).toBe('True');
  });

  it('does not make nobody enough: whoever ends again and again is not available', () => {
    const crashing = template(1, 'crash', { ports: [{ container: 80, host: 8080, protocol: 'tcp' }] });
    const stage = new Stage(replicated({ replicas: 1, template: crashing }));
    stage.pass();
    stage.calm();
    expect(stage.condition('Available')).toMatchObject({ status: 'False', message: '0 are available, 1 is needed.' });
  });

  it('stays with its slot when there are fewer, also when that is the youngest', () => {
    const stage = settled({ replicas: 2, template: withPort(1, 8080) });
    stage.world.remove(boxIn(stage, 0).id);
    stage.wait(MINUTE);
    stage.settle();
    stage.apply({ replicas: 1 });
    stage.settle();
    expect(slotsOf(stage)).toEqual([0]);
  });

  it('comes to its slot when that is empty, and nothing that works goes before', () => {
    const stage = settled({ replicas: 2, template: withPort(1) });
    stage.world.remove(boxIn(stage, 0).id);
    stage.wait(MINUTE);
    stage.apply({ replicas: 1 });
    stage.settle();
    expect(slotsOf(stage)).toEqual([1]);
    let fewest = 1;
    stage.world.changed = () => {
      fewest = Math.min(fewest, stage.world.boxes.filter(({ state }) => state === 'running').length);
    };
    stage.apply({ template: withPort(1, 8080) });
    stage.settle();
    expect([slotsOf(stage), fewest]).toEqual([[0], 1]);
  });
});
