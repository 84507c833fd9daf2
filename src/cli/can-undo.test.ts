import { describe, expect, it } from 'vitest';
import type { Kind } from '../../definitions/core/kind.ts';
import type { JsonObject } from '../../definitions/core/resource.ts';
import { executorDeployment } from '../../definitions/executor-deployment/index.ts';
import { ready } from './test-double/app.ts';
import { FakeColony } from './test-double/colony.ts';
import { colonyCli } from './test-double/run.ts';

const { spec: schema, names, columns = [] } = executorDeployment;
const specOf = (image: string, replicas: number) =>
  schema.parse({ executorType: 'web', runtime: 'docker', image, replicas }) as unknown as JsonObject;

/** An ExecutorDeployment that crashes, and has had these specs. */
function crashing(...specs: readonly JsonObject[]): FakeColony {
  const colony = new FakeColony();
  colony.known.push({ kind: executorDeployment as unknown as Kind, builtIn: true, names, columns });
  colony.revisions = specs.map((spec, index) => ({ generation: index + 1, spec, at: '2026-03-01T11:00:00Z', by: 'a' }));
  const generation = specs.length;
  const conditions = [ready('False', { reason: 'CrashLoopBackOff', observedGeneration: generation })];
  colony.put({ kind: names.kind, name: 'web', spec: specs.at(-1) ?? {}, status: { observedGeneration: generation, conditions } });
  const web = colony.stored.get('ExecutorDeployment/default/web')!;
  colony.stored.set('ExecutorDeployment/default/web', { ...web, metadata: { ...web.metadata, generation } });
  return colony;
}

const UNDO = 'go back: colony rollout undo executordeployment/web';

describe('rollout undo is offered', () => {
  it.each([
    { name: 'not after a scaling only', specs: [specOf('web:1', 2), specOf('web:1', 4)], offered: false },
    { name: 'not of a first spec', specs: [specOf('web:1', 2)], offered: false },
    { name: 'when the image was another', specs: [specOf('web:1', 2), specOf('web:2', 2)], offered: true },
    { name: 'when it was another before a scaling', specs: [specOf('web:1', 2), specOf('web:2', 2), specOf('web:2', 4)], offered: true },
  ])('$name', async ({ specs, offered }) => {
    const said = async (...argv: string[]) => {
      const { out, err } = await colonyCli(crashing(...specs), argv);
      return `${out}${err}`.replace(/\s+/g, ' ');
    };
    const commands = [
      ['describe', 'executordeployment/web'],
      ['wait', 'executordeployment/web', '--for=condition=Ready'],
      ['scale', 'executordeployment/web', '--replicas', '3', '--wait', '--timeout', '0s'],
    ];
    for (const argv of commands) {
      const text = await said(...argv);
      expect([argv[0], text.includes('colony logs executordeployment/web'), text.includes(UNDO)]).toEqual([argv[0], true, offered]);
    }
  });

  it('not while nobody can say what there was', async () => {
    const colony = crashing(specOf('web:1', 2), specOf('web:2', 2));
    const { resources } = colony;
    colony.resources = (...kind) => ({ ...resources.apply(colony, kind), history: () => Promise.reject(new Error('no worker answers')) });
    const { out } = await colonyCli(colony, ['describe', 'executordeployment/web']);
    expect(out.replace(/\s+/g, ' ')).toContain('Then correct the spec and apply. ');
    expect(out).not.toContain('undo');
  });

  it('of a kind without a rollout of its own when there was another spec', async () => {
    const told = async (generation: number) => {
      const colony = new FakeColony().define('Widget', 'example.com');
      const conditions = [ready('False', { reason: 'CrashLoopBackOff', observedGeneration: generation })];
      colony.put({ kind: 'Widget', name: 'w1', status: { observedGeneration: generation, conditions } });
      const w1 = colony.stored.get('Widget/default/w1')!;
      colony.stored.set('Widget/default/w1', { ...w1, metadata: { ...w1.metadata, generation } });
      return (await colonyCli(colony, ['describe', 'widget/w1'])).out.includes('colony rollout undo widget/w1');
    };
    expect([await told(1), await told(2)]).toEqual([false, true]);
  });
});
