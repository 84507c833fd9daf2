import { describe, expect, it } from 'vitest';
import type { JsonObject, Resource, Status } from '../../../definitions/core/resource.ts';
import { executorDeployment } from '../../../definitions/executor-deployment/index.ts';
import { executorDeploymentSpec } from '../../../definitions/executor-deployment/schema.ts';
import { defaultRestart } from '../../../definitions/replicas/replicated.ts';
import { replicated, Stage, template } from '../../../definitions/replicas/test-double/stage.ts';
import { whyStuck } from './why-stuck.ts';

/** What the planner itself says of the stage, as a resource that people ask about. */
function resourceOf(stage: Stage, spec: JsonObject = { runtime: 'local' }): Resource {
  const { metadata } = stage.view();
  return { apiVersion: 'compute.colonies.io/v1', kind: 'ExecutorDeployment', metadata, spec, status: stage.facts as unknown as Status };
}

const told = (stage: Stage, spec?: JsonObject) => whyStuck(resourceOf(stage, spec), 'ed/web', stage.world.now);

describe('one that ended badly and is not started again', () => {
  const failed = (): Stage => {
    const stage = new Stage(replicated({ replicas: 1, template: template(1, 'crash'), restart: { ...defaultRestart, policy: 'Never' } }));
    stage.pass();
    stage.calm();
    return stage;
  };
  const starts = ({ world }: Stage): number => [...world.starts.values()].flat().length;

  it('is not said to be tried again', () => {
    expect(told(failed())).toEqual({
      why: expect.stringMatching(/^Failed: .* is not started again/),
      todo: 'See what they said: colony logs ed/web. Then correct the spec and apply, or start them once more as they are: colony rollout restart ed/web',
    });
  });

  it('is started by what is advised, and by nothing else', () => {
    const stage = failed();
    stage.nudge();
    stage.wait(3_600_000);
    expect(starts(stage)).toBe(1);
    stage.apply({ template: template(1, 'crash', { labels: { restartedAt: 'now' } }) });
    stage.calm();
    expect(starts(stage)).toBe(2);
  });

  it('is another thing than a failure that merely has that name, which is tried again', () => {
    const stage = failed();
    const { instances: _, ...status } = stage.facts;
    const other = { ...resourceOf(stage), status: status as unknown as Status };
    expect(whyStuck(other, 'widget/w1', stage.world.now)?.todo).toContain('It is tried again');
  });
});

describe('a runtime that the node does not have', () => {
  const without = (): Stage => {
    const stage = new Stage(replicated({ replicas: 1 }));
    stage.world.withoutRuntime.add('node');
    stage.pass();
    stage.calm();
    return stage;
  };

  it.each(['docker', 'local', 'kubernetes'])('%s is never to be changed in the spec, for that would be refused', (runtime) => {
    expect(told(without(), { runtime })?.todo).toBe(
      'Give the node that runtime, as said above; it goes on by itself. A resource keeps its runtime: for another, colony delete ed/web, then apply it with that one.',
    );
  });

  it('has no other to be named where the kind knows only one', () => {
    expect(told(without(), { image: 'x' })?.todo).toBe('Give the node that runtime, as said above; it goes on by itself.');
  });

  it('and that nobody has is to be changed in the spec, which is allowed', () => {
    const stage = without();
    const spec = executorDeploymentSpec.parse({ runtime: 'hpc' });
    const view = { ...stage.view(), spec, status: undefined };
    const { conditions, status } = executorDeployment.plan(view);
    const resource = { ...resourceOf(stage, spec as JsonObject), status: { ...status, conditions } as unknown as Status };
    expect(whyStuck(resource, 'ed/web')).toEqual({
      why: 'RuntimeUnavailable: No node has runtime hpc; name one of docker, local, kubernetes.',
      todo: 'Name one of those in the spec and apply.',
    });
    expect(executorDeployment.admit?.({ ...spec, runtime: 'local' }, view, { actor: 'a', now: 0 }).issues).toBeUndefined();
  });
});

describe('a template that the node does not allow', () => {
  const message = 'host path /srv is not allowed on this node: set COLONY_HOST_PATHS on the node to a folder above it';
  const refused = (): Stage => {
    const stage = new Stage(replicated({ replicas: 1 }));
    stage.world.problems.set('node/0', { reason: 'Blocked', message });
    stage.pass();
    stage.calm();
    return stage;
  };

  it('is Blocked by the reason of its conditions, and is answered by another spec or another policy', () => {
    const stage = refused();
    for (const [type, status] of Object.entries({ Ready: 'False', Degraded: 'True' }))
      expect(stage.condition(type)).toMatchObject({ status, reason: 'Blocked' });
    expect(told(stage)).toEqual({
      why: `Blocked: 0 of 1 replica is ready: ${message}`,
      todo: 'Change the spec and apply, or do on the node what is said above: the next try is in 5m; to try now: colony reconcile ed/web',
    });
  });

  it('is another thing than what an executor calls so', () => {
    const stage = refused();
    const { nextTryTime: _, ...status } = stage.facts;
    const other = { ...resourceOf(stage), status: status as unknown as Status };
    expect(whyStuck(other, 'widget/w1')?.todo).toBe('It is tried again with growing delay; to try now: colony reconcile widget/w1');
  });
});
