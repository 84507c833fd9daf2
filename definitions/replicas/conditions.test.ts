import { describe, expect, it } from 'vitest';
import { replicated, Stage, template } from './test-double/stage.ts';
import { type Box, Unreachable } from './test-double/world.ts';

const MINUTE = 60_000;

function settled(...[more]: Parameters<typeof replicated>): Stage {
  const stage = new Stage(replicated(more));
  stage.settle();
  return stage;
}

/** An update that nobody ever gets ready, after its time is up. */
function failedUpdate(onFailure: 'Pause' | 'Rollback'): Stage {
  const stage = settled({ strategy: { onFailure, progressDeadlineSeconds: 60 } });
  stage.apply({ template: template(2, 'never') });
  stage.wait(10 * MINUTE);
  return stage;
}

const withImage = (image: string) => template(1, 'good', { runtime: 'docker', image });

/** Runs its first image, and shall run one whose registry does not answer. */
function withoutRegistry(): Stage {
  const stage = settled({ template: withImage('app:1') });
  stage.images = () => {
    throw new Unreachable('RegistryUnreachable');
  };
  stage.apply({ template: withImage('nowhere/app:2') });
  stage.calm();
  return stage;
}

describe('Available', () => {
  it('says what is needed while it is False, not that it were enough', () => {
    const stage = new Stage(replicated({ replicas: 3, template: template(1, 'never') }));
    stage.pass();
    expect(stage.condition('Available')).toMatchObject({
      status: 'False',
      reason: 'MinimumReplicasUnavailable',
      message: '0 are available, 3 are needed.',
    });
  });
});

describe('Degraded', () => {
  it('is True after an update that failed', () => {
    expect(failedUpdate('Pause').condition('Degraded')).toMatchObject({ status: 'True', reason: 'ProgressDeadlineExceeded' });
  });

  it('is True after an update that was taken back', () => {
    expect(failedUpdate('Rollback').condition('Degraded')).toMatchObject({ status: 'True', reason: 'RolledBack' });
  });

  it('is True for a first revision that did not get ready in time', () => {
    const stage = new Stage(replicated({ template: template(1, 'never'), strategy: { progressDeadlineSeconds: 60 } }));
    stage.pass();
    stage.wait(10 * MINUTE);
    expect(stage.condition('Degraded')).toMatchObject({ status: 'True', reason: 'ProgressDeadlineExceeded' });
  });

  it('is True while a step fails, and names why', () => {
    expect(withoutRegistry().condition('Degraded')).toMatchObject({ status: 'True', reason: 'RegistryUnreachable', message: 'no answer.' });
  });

  it('is over in the very moment in which a revision that was too late takes over after all', () => {
    const stage = new Stage(replicated({ replicas: 1, template: template(1, 'never'), strategy: { progressDeadlineSeconds: 60 } }));
    stage.pass();
    stage.wait(10 * MINUTE);
    (stage.world.boxes[0] as Box).readyAt = stage.world.now;
    stage.tellAll();
    expect(stage.condition('Ready').status).toBe('True');
    expect(stage.condition('Degraded').status).toBe('False');
    expect(stage.condition('Progressing')).toMatchObject({ status: 'True', reason: 'NewRevisionAvailable' });
  });

  it('is never False in the moment in which an update fails, so that no event says that all is well', () => {
    const stage = settled({ strategy: { onFailure: 'Rollback', progressDeadlineSeconds: 60 } });
    const told: string[] = [];
    stage.planned = ({ plan }) => {
      const now = plan.conditions?.find(({ type }) => type === 'Degraded')?.reason ?? '';
      if (told.at(-1) !== now) told.push(now);
    };
    stage.apply({ template: template(2, 'never') });
    stage.wait(10 * MINUTE);
    expect(told).toEqual(['AsExpected', 'ProgressDeadlineExceeded', 'RolledBack']);
  });
});

describe('what is said of an update that nobody runs', () => {
  it('counts nobody as updated while the registry does not answer, and says so instead of what took over before', () => {
    const stage = withoutRegistry();
    expect(stage.facts).toMatchObject({ replicas: 3, readyReplicas: 3, updatedReplicas: 0 });
    expect(stage.condition('Progressing')).toMatchObject({ status: 'False', reason: 'RegistryUnreachable' });
  });

  it('counts nobody as updated while there is no such image', () => {
    const stage = settled({ template: withImage('app:1') });
    stage.images = (image) => ({ image, problem: { reason: 'ImageMissing', message: 'No such image.' } });
    stage.apply({ template: withImage('app:2') });
    stage.calm();
    expect(stage.facts.updatedReplicas).toBe(0);
    expect(stage.condition('Progressing')).toMatchObject({ status: 'False', reason: 'ImageMissing' });
  });

  it('counts nobody as updated after the update was taken back', () => {
    expect(failedUpdate('Rollback').facts).toMatchObject({ readyReplicas: 3, updatedReplicas: 0 });
  });

  it('says that the image is looked up before anything else can be said', () => {
    const stage = settled({ template: withImage('app:1') });
    stage.apply({ template: withImage('app:2') });
    expect(stage.condition('Progressing')).toMatchObject({ status: 'True', reason: 'RollingOut', message: 'Image app:2 is looked up.' });
    stage.settle();
    expect(stage.condition('Progressing')).toMatchObject({ status: 'True', reason: 'NewRevisionAvailable' });
    expect(stage.facts.updatedReplicas).toBe(3);
  });

  it('is Unknown when nobody can be asked for the image', () => {
    const stage = new Stage(replicated({ template: withImage('app:1') }));
    stage.world.unreachable.add('node');
    stage.images = () => {
      throw new Unreachable();
    };
    stage.pass();
    stage.calm();
    expect(stage.condition('Progressing')).toMatchObject({ status: 'Unknown', reason: 'RuntimeUnreachable' });
  });
});

describe('replicas that have done their work', () => {
  const job = (...modes: Parameters<typeof template>[1][]): Stage => {
    const stage = new Stage(
      replicated({ replicas: modes.length, template: template(1, modes[0]), restart: { ...replicated().restart, policy: 'OnFailure' } }),
    );
    stage.settle();
    return stage;
  };

  it('are said to be done, not ready, and none is missed', () => {
    const stage = job('done', 'done');
    expect(stage.condition('Ready')).toMatchObject({
      status: 'True',
      reason: 'Completed',
      message: '2 of 2 replicas have done their work.',
    });
    expect(stage.condition('Available')).toMatchObject({ status: 'True', reason: 'Completed' });
    expect(stage.facts).toMatchObject({ readyReplicas: 0, availableReplicas: 0, unavailableReplicas: 0 });
  });

  it('are not said to be in a loop for what they did while they were always started again', () => {
    const stage = new Stage(replicated({ replicas: 1, template: template(1, 'done') }));
    stage.pass();
    stage.wait(MINUTE);
    expect(stage.condition('Degraded')).toMatchObject({ status: 'True', reason: 'CrashLoopBackOff' });
    stage.apply({ restart: { ...stage.spec.restart, policy: 'OnFailure' } });
    expect(stage.condition('Ready')).toMatchObject({ status: 'True', reason: 'Completed' });
    expect(stage.condition('Degraded')).toMatchObject({ status: 'False' });
  });

  it('are told beside those that still run', () => {
    const stage = job('good', 'good', 'good');
    stage.world.kill(stage.world.boxes[0] as Box, 0);
    stage.settle();
    expect(stage.condition('Ready')).toMatchObject({
      status: 'True',
      reason: 'AllReplicasReady',
      message: '2 of 3 replicas are ready, 1 has done its work.',
    });
    expect(stage.condition('Available')).toMatchObject({
      status: 'True',
      reason: 'MinimumReplicasAvailable',
      message: '2 are available, 1 has done its work, 3 are enough.',
    });
  });
});

describe('what is in the way as a whole', () => {
  it('is told with the time of the next try, of the spec in force, while a registry does not answer', () => {
    const stage = withoutRegistry();
    expect(stage.condition('Ready')).toMatchObject({
      status: 'False',
      reason: 'RegistryUnreachable',
      message: '3 of 3 replicas are ready: no answer.',
    });
    expect(stage.facts).toMatchObject({ observedGeneration: 2, nextTryTime: new Date(stage.wakeAt as number).toISOString() });
    const before = stage.facts.nextTryTime;
    stage.wait(MINUTE);
    expect(Date.parse(stage.facts.nextTryTime ?? '')).toBeGreaterThan(Date.parse(before ?? ''));
  });

  it('is told with the time of the next try while there is no such image, and is over with it', () => {
    const stage = new Stage(replicated({ template: withImage('app:1') }));
    const answer = stage.images;
    stage.images = (image) => ({ image, problem: { reason: 'ImageMissing', message: 'No such image.' } });
    stage.pass();
    stage.calm();
    expect(stage.facts.nextTryTime).toBe(new Date(stage.wakeAt as number).toISOString());
    stage.images = answer;
    stage.settle();
    expect(stage.facts.nextTryTime).toBeUndefined();
  });

  it('has no time when it waits for somebody to come, or for another spec', () => {
    const stage = new Stage(replicated({ template: withImage('app:1') }));
    stage.pass();
    stage.ignore('image');
    expect(stage.facts.nextTryTime).toBeUndefined();
    const failing = { ...stage.failing.image!, reason: 'ResultTooLarge', retryAt: Number.MAX_SAFE_INTEGER };
    stage.failing = { image: failing };
    stage.pass();
    expect(stage.facts.nextTryTime).toBeUndefined();
  });

  it('is told with the time of the next try when slots cannot be started', () => {
    const stage = settled({ replicas: 1 });
    stage.world.problems.set('node/1', { reason: 'PortTaken', message: 'Port 80 is taken.' });
    stage.apply({ replicas: 2 });
    stage.calm();
    expect(stage.facts.nextTryTime).toBe(stage.facts.problems?.[0]?.nextTryTime);
  });
});

describe('Ready while all are ready and something is left to do', () => {
  it('says that some must be ready for longer', () => {
    const stage = new Stage(replicated({ strategy: { minReadySeconds: 30 } }));
    stage.pass();
    stage.calm();
    expect(stage.condition('Ready')).toMatchObject({
      status: 'False',
      reason: 'Settling',
      message: '3 of 3 replicas are ready, 3 not for long enough yet.',
    });
  });

  it('says that somebody looks', () => {
    const stage = settled();
    stage.nudge();
    expect(stage.condition('Ready')).toMatchObject({
      status: 'False',
      reason: 'Settling',
      message: '3 of 3 replicas are ready; the last step is under way.',
    });
  });

  it('counts those that are not', () => {
    const stage = settled();
    (stage.world.boxes[0] as Box).readyAt = Number.POSITIVE_INFINITY;
    stage.calm();
    expect(stage.condition('Ready')).toMatchObject({ reason: 'ReplicasNotReady', message: '2 of 3 replicas are ready.' });
  });
});

describe('Ready after a move to other nodes', () => {
  const blocked = { reason: 'PortTaken', message: 'Port 80 is taken.' } as const;

  it('is not said while one slot is filled twice and another not at all', () => {
    const stage = new Stage(replicated({ replicas: 2, nodes: ['a', 'b'], strategy: { maxSurge: '100%' } }));
    stage.world.problems.set('a/0', blocked);
    stage.pass();
    stage.calm();
    stage.apply({ nodes: ['a'] });
    stage.calm();
    expect(stage.world.boxes.map(({ node, slot }) => [node, slot])).toEqual([
      ['b', 1],
      ['a', 1],
    ]);
    expect(stage.condition('Ready')).toMatchObject({ status: 'False', reason: 'PortTaken' });
    stage.world.problems.clear();
    stage.settle();
    expect(stage.world.boxes.map(({ node }) => node)).toEqual(['a', 'a']);
    expect(stage.condition('Ready').status).toBe('True');
  });

  it('is not said while the old place has to do, because nothing starts in the new one', () => {
    const stage = settled({ replicas: 1, nodes: ['a'] });
    stage.world.problems.set('b/0', blocked);
    stage.apply({ nodes: ['b', 'a'] });
    stage.calm();
    expect(stage.world.boxes).toMatchObject([{ node: 'a', slot: 0 }]);
    expect(stage.condition('Ready')).toMatchObject({ status: 'False', reason: 'PortTaken' });
  });
});
