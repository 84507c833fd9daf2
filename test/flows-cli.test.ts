import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ColonyClient, Family } from '../src/client/api.ts';
import { AlreadyExistsError, connect, InvalidError, NotFoundError } from '../src/client/index.ts';
import { type RunningExecutor, runExecutor } from '../src/executor/run.ts';
import type { StepFunction } from '../src/executor/step.ts';
import { Programs } from './support/program.ts';
import { connectClient, leaseNamespace, startWorker, type TestWorker, temporalAddress } from './support/temporal.ts';

/** The doors for families and flows, against a real server: the built command line, and the client. */
const namespace = leaseNamespace();
const programs = new Programs(namespace);
const FLOWS = 'automation.colonies.io/v1';
const SOON_MS = 30_000;

let worker: TestWorker;
let executor: RunningExecutor;
let colony: ColonyClient;
let folder: string;
const calls: string[] = [];

const note: StepFunction = async ({ run, step, kwargs }) => {
  calls.push(`${run}/${step}`);
  return kwargs;
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'colony-flows-'));
  worker = await startWorker(namespace, { config: { firstRetryMs: 100 } });
  const at = { address: temporalAddress(), temporalNamespace: namespace };
  colony = await connect(at);
  executor = await runExecutor({ executorType: 'hands', steps: { note } }, at);
});
afterAll(async () => {
  await programs.endAll();
  await executor.stop();
  await colony.close();
  await worker.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What a command says on stderr when it takes longer than two seconds, as on a busy machine it may. */
const PROGRESS = /^waiting for .* … \(\d+s\)\n/gm;

const cli = async (...args: string[]) => {
  const { code, said } = await programs.run(args, { COLONY_HOME: folder, HOME: folder });
  return { code, said: said.replace(PROGRESS, '') };
};
const call = (kwargs: object = {}) => ({ functionSpec: { funcName: 'note', conditions: { executorType: 'hands' }, kwargs } });
const workflow = (name: string, spec: object) => colony.apply({ apiVersion: FLOWS, kind: 'Workflow', metadata: { name }, spec });
const runs = () => colony.resources(FLOWS, 'WorkflowRun');

const untilSuspended = async (name: string): Promise<void> => {
  await runs().waitFor(name, 'Suspended', { timeoutMs: SOON_MS });
};

const steps = [
  { name: 'load', ...call({ size: '${params.size}' }) },
  { name: 'ship', dependsOn: ['load'], suspend: { message: 'Ship ${steps.load.outputs.size}?' } },
  { name: 'done', dependsOn: ['ship'], ...call({ to: '${steps.ship.outputs.to}' }) },
];

describe('colony run and colony workflow', () => {
  it('begin a run, follow it, and end as it ends', async () => {
    await workflow('plain', { params: [{ name: 'size', default: 1 }], steps: [{ name: 'load', ...call({ size: '${params.size}' }) }] });
    const { code, said } = await cli('run', 'workflow/plain', '--name', 'plain-1', '--param', 'size=7', '--wait');
    expect([code, said]).toEqual([0, expect.stringMatching(/✓ load \(.*s\)[\s\S]*STEP +STATE[\s\S]*plain-1 Succeeded in /)]);
    expect((await runs().get('plain-1')).status?.steps).toMatchObject({ load: { phase: 'Succeeded', outputs: { size: 7 } } });
  }, 60_000);

  it('answer a step that waits; a retry does again only what failed', async () => {
    await workflow('asks', { params: [{ name: 'size', default: 3 }], steps });
    expect(await cli('run', 'asks', '--name', 'asks-1', '-o', 'name')).toEqual({
      code: 0,
      said: 'workflowrun.automation.colonies.io/asks-1\n',
    });
    await untilSuspended('asks-1');
    expect((await cli('workflow', 'graph', 'asks-1')).said).toMatch(
      /✓ load.*\n +│\n‖ ship.*\n +│\n *○ done\n[\s\S]*‖ ship waits: Ship 3\?/,
    );
    expect((await cli('workflow', 'approve', 'asks-1', '--reject')).code).toBe(0);
    expect(await cli('workflow', 'follow', 'asks-1')).toMatchObject({ code: 1, said: expect.stringContaining('asks-1 Failed') });
    const again = programs.colony(['workflow', 'retry', 'asks-1', '--wait'], { COLONY_HOME: folder });
    await again.says(/colony workflow approve asks-1 ship/);
    expect((await cli('workflow', 'approve', 'asks-1', 'ship', '--value', 'to=moon')).said).toContain('ship approved');
    expect([await again.ended, again.said]).toEqual([0, expect.stringContaining('asks-1 Succeeded')]);
    expect(calls.filter((one) => one.startsWith('asks-1/'))).toEqual(['asks-1/load', 'asks-1/done']);
    expect(await cli('workflow', 'cancel', 'asks-1')).toMatchObject({ code: 1, said: expect.stringContaining('has ended already') });
  }, 60_000);

  it('cancel a run while it waits, and skip a step of another', async () => {
    await workflow('stops', { params: [{ name: 'size', default: 3 }], steps });
    await Promise.all(['stops-1', 'stops-2'].map((name) => colony.run('stops', { name })));
    await Promise.all([untilSuspended('stops-1'), untilSuspended('stops-2')]);
    expect(await cli('workflow', 'cancel', 'stops-1', '--wait')).toMatchObject({ code: 0, said: expect.stringContaining('Cancelled') });
    expect((await cli('workflow', 'skip', 'stops-2', 'ship')).code).toBe(0);
    expect((await cli('workflow', 'follow', 'stops-2')).code).toBe(0);
    const { said } = await cli('workflow', 'runs', 'stops', '-o', 'name');
    expect(said.trim().split('\n').sort()).toEqual(['stops-1', 'stops-2'].map((name) => `workflowrun.automation.colonies.io/${name}`));
  }, 60_000);

  it('start runs through the schedule: now, and for a time that is over', async () => {
    await workflow('nightly', { schedule: { cron: '0 3 * * *', overlap: 'Allow' }, steps: [{ name: 'load', ...call() }] });
    await colony.resources(FLOWS, 'Workflow').waitFor('nightly', 'Scheduled', { timeoutMs: SOON_MS });
    expect(await cli('workflow', 'trigger', 'nightly')).toMatchObject({ code: 0, said: expect.stringContaining('triggered') });
    const { code, said } = await cli('workflow', 'backfill', 'nightly', '--from', '2026-01-01', '--to', '2026-01-03');
    expect([code, said]).toEqual([0, expect.stringContaining('2 runs from 2026-01-01T03:00:00.000Z to 2026-01-02T03:00:00.000Z')]);
    for (const name of ['nightly-20260101030000', 'nightly-20260102030000']) {
      await expect
        .poll(
          () =>
            runs()
              .waitFor(name, 'Completed')
              .then(
                () => 'ended',
                (error) => error.code,
              ),
          { timeout: SOON_MS },
        )
        .toBe('ended');
    }
    const { said: all } = await cli('workflow', 'runs', 'nightly', '-o', 'name');
    const stamps = all
      .trim()
      .split('\n')
      .map((line) => line.split('-').at(-1));
    expect(stamps.sort()).toEqual(['20260101030000', '20260102030000', expect.stringMatching(/^\d{14}$/)]);
    expect(await cli('workflow', 'trigger', 'plain')).toMatchObject({ code: 1, said: expect.stringContaining('has no schedule') });
  }, 60_000);

  it('say that a schedule is gone which should be there, and how it is put back', async () => {
    await workflow('bereft', { schedule: '0 3 1 1 *', steps: [{ name: 'load', ...call() }] });
    await colony.resources(FLOWS, 'Workflow').waitFor('bereft', 'Scheduled', { timeoutMs: SOON_MS });
    const client = await connectClient(namespace);
    await client.schedule.getHandle('workflows.automation.colonies.io/default/bereft').delete();
    await client.connection.close();
    const { code, said } = await cli('workflow', 'trigger', 'bereft');
    expect([code, said]).toEqual([1, expect.stringMatching(/is not in the Temporal server\n.*colony reconcile workflow\/bereft/)]);
    expect((await cli('reconcile', 'workflow/bereft')).code).toBe(0);
    const none = { from: new Date('2026-02-01'), to: new Date('2026-02-02') };
    const look = () =>
      colony
        .schedule('bereft')
        .backfill(none)
        .catch(({ code: why }) => why);
    await expect.poll(look, { timeout: SOON_MS }).toEqual([]);
  }, 60_000);

  it('draw a picture into a file', async () => {
    const file = join(folder, 'asks.svg');
    expect((await cli('workflow', 'graph', 'workflow/asks', '--out', file)).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toMatch(/^<svg [\s\S]*>ship<[\s\S]*<\/svg>\n$/);
  });
});

describe('the client', () => {
  it('begins a run under a name of its own making, and waits for its end', async () => {
    const run = await colony.run('workflow/plain', { params: { size: 2 } });
    expect(run).toMatchObject({ name: expect.stringMatching(/^plain-[a-z0-9]{5}$/), namespace: 'default' });
    const { metadata, status } = await run.wait({ timeoutMs: SOON_MS });
    expect([metadata.uid, status?.phase]).toEqual([run.uid, 'Succeeded']);
  }, 60_000);

  it('refuses what does not fit before anything is stored', async () => {
    await expect(colony.run('plain', { params: { size: 'big' } })).rejects.toThrow(InvalidError);
    await expect(colony.run('plain', { params: { colour: 1 } })).rejects.toMatchObject({ issues: [{ path: 'params.colour' }] });
    await expect(colony.run('widget/plain')).rejects.toThrow(InvalidError);
    await expect(colony.run('nobody')).rejects.toThrow(NotFoundError);
    await expect(colony.run('plain', { name: 'plain-1' })).rejects.toThrow(AlreadyExistsError);
    await expect(colony.schedule('plain').trigger()).rejects.toThrow(NotFoundError);
  });
});

describe('colony tree', () => {
  const names = ({ resource, children }: Family): unknown => [resource.metadata.name, ...children.map(names)];

  it('shows the children of children, in the order in which their owners made them', async () => {
    const inner = { apiVersion: FLOWS, kind: 'Workflow', metadata: { name: 'inner' }, spec: { steps: [{ name: 'load', ...call() }] } };
    await workflow('outer', {
      steps: [
        { name: 'z', resource: { manifest: { ...inner, metadata: { name: 'z-first' } } } },
        { name: 'a', dependsOn: ['z'], resource: { manifest: { ...inner, metadata: { name: 'a-second' } } } },
      ],
    });
    const run = await colony.run('outer', { name: 'outer-1' });
    await run.wait({ timeoutMs: SOON_MS });
    await (await colony.run('a-second', { name: 'a-run' })).wait({ timeoutMs: SOON_MS });
    const family = await colony.resources(FLOWS, 'Workflow').family('outer');
    expect(names(family)).toEqual(['outer', ['outer-1', ['z-first'], ['a-second', ['a-run']]]]);
    const { said } = await cli('tree', 'workflow/outer', '--no-headers');
    expect(
      said
        .trimEnd()
        .split('\n')
        .map((line) => /^.*?\/\S+/.exec(line)?.[0]),
    ).toEqual([
      'workflow/outer',
      '└─ workflowrun/outer-1',
      '   ├─ workflow/z-first',
      '   └─ workflow/a-second',
      '      └─ workflowrun/a-run',
    ]);
  }, 60_000);

  it('and --cascade say what becomes of children', async () => {
    for (const name of ['kept', 'taken']) {
      await workflow(name, { steps: [{ name: 'load', ...call() }] });
      await (await colony.run(name, { name: `${name}-1` })).wait({ timeoutMs: SOON_MS });
    }
    expect((await cli('delete', 'workflow/kept', '--cascade', 'orphan')).code).toBe(0);
    expect((await runs().get('kept-1')).metadata.ownerReferences).toEqual([]);
    expect((await cli('delete', 'workflow/taken', '--cascade', 'foreground')).code).toBe(0);
    await expect(runs().get('taken-1')).rejects.toThrow(NotFoundError);
  }, 60_000);
});
