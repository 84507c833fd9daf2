import { describe, expect, it } from 'vitest';
import type { Condition, Status } from '../../definitions/core/resource.ts';
import { ready } from './test-double/app.ts';
import { FakeColony } from './test-double/colony.ts';
import { colonyCli } from './test-double/run.ts';

const manifest = 'apiVersion: automation.colonies.io/v1\nkind: WorkflowRun\nmetadata: {name: r1}\nspec: {}\n';

/** A run that the workers have brought to this by the second look. */
function runColony(status: Status): FakeColony {
  const colony = new FakeColony().define('WorkflowRun', 'automation.colonies.io', { shortNames: ['run'] });
  colony.onLook = (looks) => {
    const [run] = colony.stored.values();
    if (looks === 2 && run) colony.stored.set('WorkflowRun/default/r1', { ...run, status });
  };
  return colony;
}

const ended = (phase: string, message: string): Status => ({
  phase,
  observedGeneration: 1,
  conditions: [ready('False', { reason: 'StepFailed', message }), { ...ready('True'), type: 'Completed', reason: phase, message }],
});

const apply = (colony: FakeColony, ...more: string[]) => colonyCli(colony, ['apply', '-f', '-', '--wait', ...more], { input: manifest });

describe('--wait', () => {
  it.each([
    { phase: 'Failed', message: 'boom failed: exit code 1' },
    { phase: 'Cancelled', message: 'Somebody cancelled it.' },
    { phase: 'Terminated', message: 'Somebody terminated it.' },
  ])('of a run that is $phase ends with that, not when the time is up', async ({ phase, message }) => {
    const { code, err } = await apply(runColony(ended(phase, message)), '--timeout', '5s');
    expect(code).toBe(1);
    expect(err).toContain(`error: workflowrun.automation.colonies.io/r1 failed: ${message.replace(/\.$/, '')}.\n`);
    expect(err).toContain('colony workflow retry workflowrun/r1');
    expect(err.split(message)).toHaveLength(2);
  });

  it('goes on while a step has failed and the run has not ended', async () => {
    const conditions: Condition[] = [
      ready('False', { reason: 'StepFailed', message: 'a failed' }),
      { ...ready('False'), type: 'Completed' },
    ];
    const { err } = await apply(runColony({ phase: 'Running', observedGeneration: 1, conditions }), '--timeout', '1s');
    expect(err).toContain('is not there yet after 1s: a failed.\n');
  });

  it('says what is wrong and what to do in two sentences', async () => {
    const said = 'spec.path: /x is neither /data nor a folder above it';
    const status = { observedGeneration: 1, conditions: [ready('False', { reason: 'InvalidSpec', message: said })] };
    const colony = new FakeColony().define('Widget', 'example.com').put({ kind: 'Widget', name: 'w1', status });
    const { err } = await colonyCli(colony, ['wait', 'widget/w1', '--for=condition=Ready']);
    expect(err).toContain(`InvalidSpec: ${said}. It is not tried again`);
    const input = 'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w1}\nspec: {size: 2}\n';
    colony.onLook = () => {
      const [widget] = colony.stored.values();
      const metadata = { ...widget!.metadata, generation: 1 };
      colony.stored.set('Widget/default/w1', { ...widget!, metadata, status });
    };
    const applied = await colonyCli(colony, ['apply', '-f', '-', '--wait', '--timeout', '1s'], { input });
    expect(applied.err).toContain(`InvalidSpec: ${said}. It is not tried again`);
  });
});
