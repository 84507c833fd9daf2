import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectUntouched, type Snapshot, snapshot } from '../support/docker/strangers.ts';
import { Stage } from '../support/instances.ts';

const NODE = `shared-${randomUUID().slice(0, 8)}`;

let one: Stage;
let other: Stage;
const strangers: string[] = [];
let before: Snapshot;

beforeAll(async () => {
  one = await Stage.start({ node: NODE });
  other = await Stage.start({ node: NODE });
});

afterAll(async () => {
  await Promise.all(strangers.map((id) => one.engine.remove(id)));
  await Promise.all([one?.end(), other?.end()]);
});

/** Labels as ours would be, of a cluster that is not this one, or with something missing. */
const looks = (labels: Record<string, string>): Record<string, string> => ({
  'colony.node': NODE,
  'colony.uid': randomUUID(),
  'colony.resource': 'executordeployments.compute.colonies.io/default/web',
  'colony.name': 'web',
  'colony.slot': '0',
  'colony.digest': 'sha256:0123456789abcdef',
  'colony.generation': '1',
  ...labels,
});

it('two installations on one engine, and strangers that look like theirs, leave each other alone through a whole life', async () => {
  strangers.push(await one.engine.createStranger());
  strangers.push(await one.engine.createStranger({ labels: looks({}) }));
  strangers.push(await one.engine.createStranger({ labels: looks({ 'colony.cluster': randomUUID() }) }));
  const [mine, theirs] = await Promise.all([one.deployment({ replicas: 1 }, 'web'), other.deployment({ replicas: 2 }, 'web')]);
  await Promise.all([mine.ready(), theirs.ready()]);
  expect(mine.uid).not.toBe(theirs.uid);
  // Our own uid, but of another cluster; and a stranger that has the very name which the next slot will want.
  const [first] = await mine.containers();
  strangers.push(await one.engine.createStranger({ labels: { ...first?.Labels, 'colony.cluster': randomUUID(), 'colony.slot': '5' } }));
  const wanted = first?.Names[0]?.slice(1).replace(/-0-(\w+)$/, '-1-$1') ?? '';
  strangers.push(await one.engine.createStranger({ name: wanted }));
  before = await snapshot(one.engine, strangers);
  const untouched = await snapshot(
    one.engine,
    (await theirs.containers()).map(({ Id }) => Id),
  );

  await mine.change({ replicas: 2 });
  await mine.ready();
  const own = (await mine.inspect()).filter(({ Config }) => Config.Labels['colony.cluster'] === first?.Labels['colony.cluster']);
  expect(own.map(({ Name }) => Name).sort()).toEqual([first?.Names[0], `/${wanted}-2`].sort());
  await mine.change({ image: 'colony-test:v2' });
  await mine.ready();
  await one.engine.remove((await mine.containers()).find(({ Labels }) => Labels['colony.slot'] === '0')?.Id ?? '');
  await mine.ready();
  await mine.change({ replicas: 0 });
  await mine.ready();
  await one.deployments.delete('web', { timeoutMs: 90_000 });
  await expectUntouched(one.engine, untouched);
  await theirs.runs(2, 'colony-test:v1');
  expect((await theirs.status()).readyReplicas).toBe(2);
  await theirs.ends();
  await mine.isBlameless();
  await expectUntouched(one.engine, before);
});
