import { describe, expect, it } from 'vitest';
import type { JsonObject, Resource, Status } from '../../../definitions/core/resource.ts';
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
