import { describe, expect, it } from 'vitest';
import type { Replicated } from './replicated.ts';
import { replicated, Stage, template } from './test-double/stage.ts';
import type { Box } from './test-double/world.ts';

const MINUTE = 60_000;

function settled(...[more]: Parameters<typeof replicated>): Stage {
  const stage = new Stage(replicated(more));
  stage.settle();
  return stage;
}

const versionsOf = ({ world, status }: Stage): string => {
  const target = status?.targetRevision?.digest;
  return world.boxes
    .map((box) => `${box.slot}${box.digest === target ? 'new' : 'old'}`)
    .sort()
    .join(' ');
};

/** Watches over an update: the fewest that worked, and the most that were there. */
function during(stage: Stage, change: Partial<Replicated>): { least: number; most: number } {
  const seen = { least: Number.POSITIVE_INFINITY, most: 0 };
  stage.world.changed = () => {
    const { boxes } = stage.world;
    seen.least = Math.min(seen.least, boxes.filter((box) => stage.available(box)).length);
    seen.most = Math.max(seen.most, boxes.length);
  };
  stage.apply(change);
  stage.settle();
  stage.world.changed = () => {};
  return seen;
}

describe('a rolling update', () => {
  it('start-first: one more than wished for a moment, never fewer', () => {
    const stage = settled({ replicas: 3, strategy: { maxSurge: 1, maxUnavailable: 0 } });
    expect(during(stage, { template: template(2, 'slow') })).toEqual({ least: 3, most: 4 });
    expect(versionsOf(stage)).toBe('0new 1new 2new');
    expect(stage.condition('Ready').status).toBe('True');
  });

  it('stop-first: of ten, two at a time; never fewer than eight work', () => {
    const stage = settled({ replicas: 10, strategy: { maxSurge: 0, maxUnavailable: 2 } });
    const before = stage.log.length;
    expect(during(stage, { template: template(2) })).toEqual({ least: 8, most: 10 });
    expect(stage.log.slice(before)).toEqual(
      ['0-1', '2-3', '4-5', '6-7', '8-9'].map(
        (slots) => `RollingOut: remove slots ${slots} (the template changed), start slots ${slots} on node`,
      ),
    );
  });

  it('shares are of the wished number: more is rounded up, fewer is rounded down', () => {
    const stage = settled({ replicas: 5, strategy: { maxSurge: '25%', maxUnavailable: '25%' } });
    expect(during(stage, { template: template(2, 'slow') })).toEqual({ least: 4, most: 7 });
    const exact = settled({ replicas: 100, strategy: { maxSurge: '7%', maxUnavailable: 0 } });
    expect(during(exact, { template: template(2) }).most).toBe(107);
  });

  it('with a fixed port of the node the old one goes first, for both cannot hold it', () => {
    const ports = [{ container: 80, host: 8080, protocol: 'tcp' as const }];
    const stage = settled({ replicas: 1, template: template(1, 'good', { ports }), strategy: { maxSurge: 1, maxUnavailable: 0 } });
    expect(during(stage, { template: template(2, 'good', { ports }) })).toMatchObject({ most: 1 });
  });

  it('what is missing anyway is not made up for beyond the limit', () => {
    const stage = settled({ replicas: 10, strategy: { maxSurge: 1, maxUnavailable: 3 } });
    for (const box of stage.world.boxes.slice(0, 3)) stage.world.remove(box.id);
    stage.world.now += 1;
    stage.observed = { ...stage.observed, 'instances/node': { ...stage.observed['instances/node']!, value: stage.world.look('node') } };
    expect(during(stage, { template: template(2, 'slow') }).most).toBeLessThanOrEqual(11);
  });

  it('waits until each has been ready for long enough, and says when it looks again', () => {
    const stage = settled({ replicas: 2, strategy: { maxSurge: 1, maxUnavailable: 0, minReadySeconds: 30 } });
    stage.apply({ template: template(2) });
    stage.calm();
    expect(versionsOf(stage)).toBe('0new 0old 1old');
    expect(stage.steps).toEqual([]);
    expect(stage.wakeAt! - stage.world.now).toBeGreaterThan(29_000);
    expect(stage.wakeAt! - stage.world.now).toBeLessThanOrEqual(30_000);
    stage.wait(30_000);
    expect(versionsOf(stage)).toBe('0new 1new 1old');
    stage.settle();
    expect(versionsOf(stage)).toBe('0new 1new');
  });

  it('what has done its work counts as taken over', () => {
    const restart = { ...replicated().restart, policy: 'OnFailure' as const };
    const stage = settled({ replicas: 3, template: template(1, 'done'), restart });
    expect(stage.condition('Ready').status).toBe('True');
    stage.apply({ template: template(2, 'done') });
    stage.settle();
    expect(versionsOf(stage)).toBe('0new 1new 2new');
    expect(stage.facts.rollout?.state).toBe('Complete');
  });

  it('a newer template interrupts: what is half there goes, and what works stays until it is replaced', () => {
    const stage = settled({ replicas: 3 });
    stage.apply({ template: template(2, 'never') });
    stage.wait(MINUTE);
    expect(versionsOf(stage)).toBe('0new 0old 1old 2old');
    expect(during(stage, { template: template(3) })).toEqual({ least: 3, most: 4 });
    expect(versionsOf(stage)).toBe('0new 1new 2new');
  });

  it('going back to what worked before keeps every one of it', () => {
    const stage = settled({ replicas: 3 });
    const ids = stage.world.boxes.map(({ id }) => id);
    stage.apply({ template: template(2, 'never') });
    stage.wait(MINUTE);
    stage.apply({ template: template(1) });
    stage.settle();
    expect(stage.world.boxes.map(({ id }) => id)).toEqual(ids);
    expect(stage.condition('Ready').status).toBe('True');
  });

  it('over two nodes, nothing comes on one before there is room on the other', () => {
    const stage = settled({ replicas: 4, nodes: ['a', 'b'], strategy: { maxSurge: 0, maxUnavailable: 1 } });
    expect(during(stage, { template: template(2, 'slow') })).toEqual({ least: 3, most: 4 });
    expect(during(stage, { nodes: ['c'] })).toEqual({ least: 3, most: 4 });
    expect(new Set(stage.world.boxes.map(({ node }) => node))).toEqual(new Set(['c']));
  });

  it('over two nodes, a newer template waits until what the older one began has landed', () => {
    const stage = settled({ replicas: 4, nodes: ['a', 'b'], strategy: { maxSurge: 0, maxUnavailable: 1 } });
    let least = 4;
    stage.world.changed = () => {
      least = Math.min(least, stage.world.boxes.filter((box) => stage.available(box)).length);
    };
    stage.apply({ template: template(2) });
    while (!stage.flights.has('instances/b')) stage.advance('instances/a');
    stage.advance('instances/b');
    stage.apply({ template: template(3) });
    expect(stage.flights.has('instances/a'), 'the room is spent on the other node').toBe(false);
    stage.settle();
    expect(least).toBe(3);
    expect(versionsOf(stage)).toBe('0new 1new 2new 3new');
  });

  it('places change no more at once than there is room for, also when nothing that is there works', () => {
    const stage = settled({ replicas: 4, template: template(1, 'good'), strategy: { maxSurge: 1, maxUnavailable: 1 } });
    for (const box of stage.world.boxes) box.readyAt = Number.POSITIVE_INFINITY;
    stage.tellAll();
    stage.apply({ template: template(2, 'never') });
    stage.calm();
    expect(versionsOf(stage)).toBe('0new 1new 2old 3old');
  });

  it('what stands in the way of the new one of a place does not keep the old one down', () => {
    const stage = settled({ replicas: 2, strategy: { maxSurge: 1, maxUnavailable: 0 } });
    const [old] = stage.world.boxes;
    stage.world.refuses = ({ digest }) => digest !== old?.digest;
    stage.apply({ template: template(2) });
    stage.calm();
    expect(stage.condition('Ready')).toMatchObject({ status: 'False', reason: 'Blocked' });
    stage.world.kill(stage.world.boxes.find(({ slot }) => slot === 0) as Box);
    stage.calm();
    expect(stage.world.boxes.map(({ state }) => state)).toEqual(['running', 'running']);
    stage.world.refuses = () => false;
    stage.settle();
    expect(versionsOf(stage)).toBe('0new 1new');
    expect(stage.facts.problems).toBeUndefined();
  });

  it('moves to another node like any update, and says why', () => {
    const stage = settled({ replicas: 2, nodes: ['a'] });
    const before = stage.log.length;
    expect(during(stage, { nodes: ['b'] })).toEqual({ least: 2, most: 3 });
    expect(stage.log.slice(before).join()).toContain('(on another node now) on a');
    expect(stage.world.boxes.every(({ node }) => node === 'b')).toBe(true);
  });
});

describe('Recreate', () => {
  it('every old one is gone before the first new one comes', () => {
    const stage = settled({ replicas: 3, strategy: { type: 'Recreate' } });
    let together = 0;
    stage.world.changed = () => {
      together = Math.max(together, new Set(stage.world.boxes.map(({ digest }) => digest)).size);
    };
    stage.apply({ template: template(2) });
    stage.settle();
    expect(together).toBe(1);
    expect(versionsOf(stage)).toBe('0new 1new 2new');
  });

  it('also when it is paused in between and one is lost', () => {
    const stage = settled({ replicas: 3, strategy: { type: 'Recreate' } });
    stage.apply({ template: template(2) });
    stage.calm();
    stage.say(true);
    stage.world.remove((stage.world.boxes[0] as Box).id);
    stage.calm();
    expect(new Set(stage.world.boxes.map(({ digest }) => digest)).size).toBe(1);
    expect(stage.world.boxes).toHaveLength(3);
  });
});

describe('an update that does not get ready in time', () => {
  const bad = (onFailure: 'Pause' | 'Rollback'): Stage => {
    const stage = settled({ replicas: 3, strategy: { maxSurge: 1, maxUnavailable: 1, onFailure, progressDeadlineSeconds: 120 } });
    stage.apply({ template: template(2, 'never') });
    stage.wait(MINUTE);
    return stage;
  };

  it('Pause: is called failed, and nothing that works goes', () => {
    const stage = bad('Pause');
    const before = versionsOf(stage);
    stage.wait(10 * MINUTE);
    expect(versionsOf(stage)).toBe(before);
    expect(stage.facts.rollout?.state).toBe('Failed');
    expect(stage.condition('Progressing')).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' });
    expect(stage.steps).toEqual([]);
    expect(stage.wakeAt).toBeUndefined();
  });

  it('Pause: those of both revisions that crash are started again', () => {
    const stage = bad('Pause');
    stage.wait(10 * MINUTE);
    for (const box of stage.world.boxes) stage.world.kill(box);
    stage.wait(MINUTE);
    expect(stage.world.boxes.map(({ state }) => state)).toEqual(stage.world.boxes.map(() => 'running'));
  });

  it('Rollback: only the new ones go, every healthy old one stays itself, and it says so', () => {
    const stage = bad('Rollback');
    const healthy = stage.world.boxes.filter((box) => stage.available(box)).map(({ id }) => id);
    stage.wait(10 * MINUTE);
    const left = stage.world.boxes.map(({ id }) => id);
    expect(left).toEqual(expect.arrayContaining(healthy));
    expect(versionsOf(stage)).toBe('0old 1old 2old');
    expect(stage.facts.rollout?.state).toBe('RolledBack');
    expect(stage.condition('Ready')).toMatchObject({ status: 'False', reason: 'RolledBack' });
    expect(stage.log.join()).toContain('RollingBack: remove');
    expect([stage.steps, stage.wakeAt]).toEqual([[], undefined]);
  });

  it('another spec ends it', () => {
    const stage = bad('Rollback');
    stage.wait(10 * MINUTE);
    stage.apply({ template: template(3) });
    stage.settle();
    expect(versionsOf(stage)).toBe('0new 1new 2new');
    expect(stage.facts.rollout?.state).toBe('Complete');
  });

  it('resume tries again, and fails again in its own time', () => {
    const stage = bad('Rollback');
    stage.wait(10 * MINUTE);
    stage.say(false);
    stage.calm();
    expect(stage.facts.rollout?.state).toBe('Progressing');
    expect(versionsOf(stage)).toContain('new');
    stage.wait(10 * MINUTE);
    expect(stage.facts.rollout?.state).toBe('RolledBack');
    expect(versionsOf(stage)).toBe('0old 1old 2old');
  });

  it('scaling a failed update takes more of what worked', () => {
    const stage = bad('Pause');
    stage.wait(10 * MINUTE);
    stage.apply({ replicas: 5 });
    stage.calm();
    expect(versionsOf(stage)).toContain('3old 4old');
  });

  it('a first revision that fails is tried on, for there is nothing to go back to', () => {
    const stage = new Stage(replicated({ template: template(1, 'never'), strategy: { progressDeadlineSeconds: 60 } }));
    stage.pass();
    stage.wait(10 * MINUTE);
    expect(stage.facts.rollout?.state).toBe('Failed');
    stage.apply({ template: template(2) });
    stage.settle();
    expect(stage.condition('Ready').status).toBe('True');
  });
});

describe('an update that ends again and again once it has taken over', () => {
  const update = (onFailure: 'Pause' | 'Rollback'): Stage => {
    const stage = settled({ replicas: 2, strategy: { onFailure } });
    stage.apply({ template: template(2, 'late') });
    stage.calm();
    expect(stage.facts).toMatchObject({ rollout: { state: 'Complete', from: { generation: 1 } }, stableGeneration: 2 });
    return stage;
  };

  it('Rollback: what worked before is brought back, and it says so', () => {
    const stage = update('Rollback');
    stage.wait(MINUTE);
    expect(versionsOf(stage)).toBe('0old 1old');
    expect(stage.facts).toMatchObject({ readyReplicas: 2, stableGeneration: 1, rollout: { state: 'RolledBack', tookOver: true } });
    expect(stage.facts.rollout?.message).toMatch(
      /^Revision .{8} ended again and again as soon as it had taken over; what worked before was/,
    );
    expect(stage.condition('Degraded')).toMatchObject({ status: 'True', reason: 'RolledBack' });
    stage.apply({ template: template(3) });
    stage.settle();
    expect(stage.condition('Ready').status).toBe('True');
    expect(stage.facts.rollout).toMatchObject({ state: 'Complete' });
  });

  it('Pause: is called failed, and what comes new is of what worked', () => {
    const stage = update('Pause');
    stage.wait(MINUTE);
    expect(stage.facts).toMatchObject({ stableGeneration: 1, rollout: { state: 'Failed', tookOver: true } });
    expect(stage.condition('Progressing')).toMatchObject({ status: 'False', reason: 'CrashLoopBackOff' });
    stage.apply({ replicas: 3 });
    stage.calm();
    expect(versionsOf(stage)).toBe('0new 1new 2old');
  });

  it('is no failure of the update when one of several ends, or when it was well for a minute', () => {
    const stage = settled({ replicas: 2 });
    const killAll = (): void => {
      for (const box of stage.world.boxes) stage.world.kill(box);
      stage.wait(2_000);
    };
    stage.apply({ template: template(2) });
    stage.settle();
    for (let times = 0; times < 3; times += 1) {
      stage.world.kill(stage.world.boxes[0] as Box);
      stage.wait(5_000);
    }
    expect(stage.facts.rollout?.state).toBe('Complete');
    stage.wait(MINUTE);
    for (let times = 0; times < 3; times += 1) killAll();
    expect(stage.facts.rollout?.state).toBe('Complete');
    expect(stage.facts.stableGeneration).toBe(2);
  });

  it('is tried on where there was nothing before it', () => {
    const stage = new Stage(replicated({ replicas: 1, template: template(1, 'late') }));
    stage.pass();
    stage.wait(MINUTE);
    expect(stage.facts).toMatchObject({ rollout: { state: 'Complete' }, stableGeneration: 1 });
    expect(stage.condition('Degraded')).toMatchObject({ status: 'True', reason: 'CrashLoopBackOff' });
  });
});

describe('paused', () => {
  it('for a week: no deadline runs, the status stands still, and both revisions are healed', () => {
    const stage = settled({ replicas: 3, strategy: { progressDeadlineSeconds: 120 } });
    stage.apply({ template: template(2, 'slow') });
    stage.calm();
    stage.say(true);
    stage.wait(MINUTE);
    const status = JSON.stringify(stage.facts);
    stage.pass();
    stage.wait(7 * 24 * 60 * MINUTE);
    stage.pass();
    expect(JSON.stringify(stage.facts)).toBe(status);
    expect(stage.facts.rollout?.state).toBe('Paused');
    expect(stage.wakeAt).toBeUndefined();
    for (const box of stage.world.boxes) stage.world.kill(box);
    stage.wait(MINUTE);
    expect(versionsOf(stage)).toBe('0new 0old 1old 2old');
    expect(stage.world.boxes.every(({ state }) => state === 'running')).toBe(true);
    stage.say(false);
    stage.settle();
    expect(versionsOf(stage)).toBe('0new 1new 2new');
  });

  it('scaling uses what worked last', () => {
    const stage = settled({ replicas: 2 });
    stage.apply({ paused: true, template: template(2) });
    stage.apply({ replicas: 4 });
    stage.settle();
    expect(versionsOf(stage)).toBe('0old 1old 2old 3old');
    expect(stage.condition('Ready')).toMatchObject({ status: 'False', reason: 'RolloutPaused' });
  });

  it('is said also when everything has taken over, and taken back when it goes on', () => {
    const stage = settled({ replicas: 2 });
    stage.say(true);
    expect(stage.condition('Progressing')).toMatchObject({ status: 'Unknown', reason: 'RolloutPaused' });
    expect(stage.facts.rollout).toMatchObject({ state: 'Complete', paused: true });
    expect(stage.steps).toEqual([]);
    stage.say(false);
    expect(stage.condition('Progressing')).toMatchObject({ status: 'True', reason: 'NewRevisionAvailable' });
    expect(stage.facts.rollout).not.toHaveProperty('paused');
  });

  it('is no reason not to be ready when everything has taken over', () => {
    const stage = settled({ replicas: 2 });
    stage.apply({ paused: true });
    stage.settle();
    expect(stage.condition('Ready').status).toBe('True');
    stage.apply({ replicas: 3 });
    stage.settle();
    expect(stage.condition('Ready').status).toBe('True');
  });
});
