import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Condition, JsonObject, Resource } from '../../../definitions/core/resource.ts';
import { ConflictError } from '../../client/errors.ts';
import { FakeColony } from '../test-double/colony.ts';
import { colonyCli } from '../test-double/run.ts';

const call = { functionSpec: { funcName: 'f', conditions: { executorType: 'e' } } };
const steps = [
  { name: 'load', ...call },
  { name: 'check', ...call, dependsOn: ['load'] },
  { name: 'ship', suspend: { message: 'Ship it?' }, dependsOn: ['check'] },
];

const params = [
  { name: 'day', default: '1' },
  { name: 'limit', default: 10 },
  { name: 'note', default: '' },
];

let colony: FakeColony;
beforeEach(() => {
  colony = new FakeColony()
    .define('Workflow', 'automation.colonies.io', { shortNames: ['wf'], commands: ['pause', 'resume'] })
    .define('WorkflowRun', 'automation.colonies.io', { shortNames: ['run'] })
    .define('Widget', 'example.com')
    .put({ kind: 'Widget', name: 'w1' })
    .put({ kind: 'Workflow', name: 'nightly', spec: { params, steps } });
  putRun('nightly-1', 'Suspended', {
    load: { phase: 'Succeeded', startedAt: '2026-03-01T11:59:00Z', finishedAt: '2026-03-01T11:59:02Z' },
    check: { phase: 'Succeeded', startedAt: '2026-03-01T11:59:02Z', finishedAt: '2026-03-01T11:59:30Z', attempts: 2 },
    ship: { phase: 'Suspended', startedAt: '2026-03-01T11:59:30Z', message: 'Ship it?' },
  });
});

function putRun(name: string, phase: string, states: JsonObject, more: JsonObject = {}): void {
  const owner = { apiVersion: 'automation.colonies.io/v1', kind: 'Workflow', name: 'nightly', uid: 'uid-nightly', controller: true };
  const isOver = ['Succeeded', 'Failed', 'Cancelled', 'Terminated'].includes(phase);
  const completed: Condition = {
    type: 'Completed',
    status: isOver ? 'True' : 'False',
    reason: phase,
    message: 'said',
    lastTransitionTime: '2026-03-01T12:00:00Z',
    observedGeneration: 1,
  };
  colony.put({
    kind: 'WorkflowRun',
    name,
    metadata: { ownerReferences: [owner] } as unknown as Resource['metadata'],
    spec: { workflow: 'nightly', steps },
    status: { phase, progress: '2/3', startedAt: '2026-03-01T11:59:00Z', steps: states, conditions: [completed], ...more },
  });
}

const cli = (...argv: string[]) => colonyCli(colony, argv);

describe('colony run', () => {
  it('makes a run of the steps that the Workflow has, and says its name', async () => {
    const { code, out } = await cli('run', 'workflow/nightly', '--param', 'day=7', '--param', 'limit=3');
    expect([code, out]).toEqual([0, expect.stringMatching(/^workflowrun\.automation\.colonies\.io\/nightly-[a-z0-9]{5} started\n$/)]);
    const name = out.split('/')[1]?.split(' ')[0] ?? '';
    expect(colony.stored.get(`WorkflowRun/default/${name}`)?.spec).toMatchObject({ params: { day: '7', limit: 3, note: '' }, steps });
  });

  it('takes a name, and refuses one that is taken', async () => {
    expect((await cli('run', 'nightly', '--name', 'mine', '-o', 'name')).out).toBe('workflowrun.automation.colonies.io/mine\n');
    expect(await cli('run', 'nightly', '--name', 'mine')).toMatchObject({ code: 1, err: expect.stringContaining('exists already') });
  });

  it('follows the run with --wait, says what its steps do, and ends as the run ends', async () => {
    const ended = { load: { phase: 'Succeeded', startedAt: '2026-03-01T11:59:00Z', finishedAt: '2026-03-01T11:59:02Z' } };
    const failed = {
      ...ended,
      check: { phase: 'Failed', startedAt: '2026-03-01T11:59:02Z', finishedAt: '2026-03-01T11:59:04Z', attempts: 3, message: 'boom' },
    };
    const script: (() => void)[] = [
      () => putRun('r1', 'Running', { load: { phase: 'Running', startedAt: '2026-03-01T11:59:00Z' } }),
      () => putRun('r1', 'Running', { ...ended, check: { phase: 'Running', startedAt: '2026-03-01T11:59:02Z' } }),
      () => putRun('r1', 'Failed', failed, { duration: '4s', message: 'check failed.' }),
    ];
    const { resources } = colony;
    colony.resources = (apiVersion, kind) => {
      const real = resources.call(colony, apiVersion, kind);
      return kind !== 'WorkflowRun'
        ? real
        : {
            ...real,
            get: (ref) => {
              script.shift()?.();
              return real.get(ref);
            },
          };
    };
    const { code, out, err } = await cli('run', 'nightly', '--name', 'r1', '--wait');
    expect(code).toBe(1);
    expect(err).toMatchInlineSnapshot(`
      "workflowrun.automation.colonies.io/r1 started; Ctrl-C leaves it alone
         0.0s  ● load
         2.0s  ✓ load (2.0s)
         2.0s  ● check
         4.0s  ✗ check (try 3, 2.0s): boom
      "
    `);
    expect(out).toMatchInlineSnapshot(`
      "STEP   STATE        STARTED  TOOK  TRIES  MESSAGE
      load   ✓ Succeeded  60s ago  2.0s  1
      check  ✗ Failed     58s ago  2.0s  3      boom
      ship   · Omitted    -        -     -

      workflowrun.automation.colonies.io/r1 Failed in 4s: check failed.
      "
    `);
  });

  it.each([
    { argv: ['run', 'nobody'], code: 1, err: 'no Workflow is called nobody in namespace default' },
    { argv: ['run', 'widget/w1'], code: 2, err: 'widget/w1 is no Workflow' },
    { argv: ['run', 'nightly', '--param', 'daz=1'], code: 1, err: 'params.daz: unknown parameter; parameters:' },
    { argv: ['run', 'nightly', '--param', 'limit=x'], code: 1, err: 'params.limit: must be a number' },
    { argv: ['run', 'nightly', '--param', 'day'], code: 2, err: '--param "day" is not KEY=VALUE' },
    { argv: ['run', 'nightly', '--param', 'a=1', 'a=2'], code: 2, err: '--param gives a twice' },
  ])('$argv says what is wrong', async ({ argv, code, err }) => {
    expect(await cli(...argv)).toMatchObject({ code, err: expect.stringContaining(err) });
  });
});

describe('colony workflow', () => {
  it('draws a run with its states, and what to say to a step that waits', async () => {
    expect((await cli('workflow', 'graph', 'nightly-1')).out).toMatchInlineSnapshot(`
      "WorkflowRun nightly-1   Suspended   2/3   60s

          ✓ load 2.0s
               │
      ✓ check 2 tries 28s
               │
          ‖ ship 30s

      ‖ ship waits: Ship it?
        colony workflow approve nightly-1 ship (or --reject)

      ‖ suspended   ✓ succeeded
      "
    `);
  });

  it('says which turn of a loop waits, by a name that can be answered', async () => {
    const loops = [
      { name: 'nest', withItems: [1, 2, 3], steps: [{ name: 'q', suspend: {} }] },
      { name: 'ask', withItems: [1, 2], suspend: {} },
      { name: 'rest', withItems: [1], steps: [{ name: 'nap', suspend: { duration: 60 } }] },
    ];
    const waits = { phase: 'Suspended', message: 'Waits for an approval.' };
    const states = {
      nest: { phase: 'Running', iterations: { total: 3, succeeded: 1, failed: 0, skipped: 0 } },
      'nest[0].q': { phase: 'Succeeded' },
      'nest[1].q': waits,
      'nest[2].q': waits,
      ask: { phase: 'Running', iterations: { total: 2, succeeded: 0, failed: 0, skipped: 0 } },
      'ask[0]': { phase: 'Succeeded' },
      'ask[1]': waits,
      rest: { phase: 'Running', iterations: { total: 1, succeeded: 0, failed: 0, skipped: 0 } },
      'rest[0].nap': { phase: 'Suspended', reason: 'WaitingForTime', message: 'Waits 1m.' },
    };
    colony.put({ kind: 'WorkflowRun', name: 'loops', spec: { steps: loops }, status: { phase: 'Suspended', steps: states } });
    const { out } = await cli('workflow', 'graph', 'loops');
    expect(out).toContain(
      [
        '‖ nest[1].q waits: Waits for an approval. (1 more waits so)',
        "  colony workflow approve loops 'nest[1].q' (or --reject)",
        '‖ ask[1] waits: Waits for an approval.',
        "  colony workflow approve loops 'ask[1]' (or --reject)",
        '‖ rest[0].nap: Waits 1m.',
      ].join('\n'),
    );
    expect(out).not.toContain('nest[*].q waits');
    const { code, err } = await cli('workflow', 'approve', 'loops', 'nest[1].q');
    expect([code, err.includes('has no step')]).toEqual([0, false]);
  });

  it('draws a run again with -w until it has ended', async () => {
    const { resources } = colony;
    let looks = 0;
    colony.resources = (apiVersion, kind) => {
      const real = resources.call(colony, apiVersion, kind);
      const get: typeof real.get = (ref) => {
        looks += 1;
        if (looks === 3) putRun('nightly-1', 'Succeeded', { load: { phase: 'Succeeded' } });
        return real.get(ref);
      };
      return { ...real, get };
    };
    const { code, out } = await cli('workflow', 'graph', 'nightly-1', '-w');
    expect([code, out.match(/^WorkflowRun nightly-1 +\w+/gm)]).toEqual([
      0,
      ['WorkflowRun nightly-1   Suspended', 'WorkflowRun nightly-1   Succeeded'],
    ]);
  });

  it('draws a Workflow without states', async () => {
    expect((await cli('wf', 'graph', 'nightly')).out).toBe('Workflow nightly\n\nload\n  │\ncheck\n  │\nship\n');
  });

  it('writes a picture that is well-formed, with foreign text as text', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'graph-'));
    try {
      putRun('evil', 'Failed', { load: { phase: 'Failed', message: '<script>alert("x")</script>&\u0007' } });
      const file = join(folder, 'run.svg');
      expect((await cli('workflow', 'graph', 'evil', '--out', file)).err).toBe(`wrote ${file}\n`);
      const svg = readFileSync(file, 'utf8');
      expect(svg).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;\\x07');
      expect(svg).not.toMatch(/<script|href|on[a-z]+=/);
      expect((await cli('workflow', 'graph', 'evil', '-o', 'svg')).out).toBe(svg);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('lists the runs of one Workflow, the newest first', async () => {
    colony.put({ kind: 'WorkflowRun', name: 'another' });
    putRun('nightly-2', 'Succeeded', {});
    const stored = colony.stored.get('WorkflowRun/default/nightly-2') as Resource;
    colony.stored.set('WorkflowRun/default/nightly-2', {
      ...stored,
      metadata: { ...stored.metadata, creationTimestamp: '2026-03-01T11:59:00Z' },
    });
    expect((await cli('workflow', 'runs', 'nightly', '-o', 'name')).out).toBe(
      'workflowrun.automation.colonies.io/nightly-2\nworkflowrun.automation.colonies.io/nightly-1\n',
    );
  });

  it.each([
    { argv: ['approve', 'nightly-1'], said: ['approve', { step: 'ship', values: {} }], out: 'ship approved' },
    {
      argv: ['approve', 'run/nightly-1', 'ship', '--value', 'v=3'],
      said: ['approve', { step: 'ship', values: { v: 3 } }],
      out: 'ship approved',
    },
    {
      argv: ['approve', 'nightly-1', '--reject', '--message', 'no'],
      said: ['reject', { step: 'ship', message: 'no' }],
      out: 'ship rejected',
    },
    { argv: ['retry', 'nightly-1'], said: ['retry', {}], out: 'begins again' },
    { argv: ['skip', 'nightly-1', 'check'], said: ['skip', { step: 'check' }], out: 'skips check' },
    { argv: ['pause', 'nightly-1'], said: ['pause', {}], out: 'no step starts' },
    { argv: ['pause', 'nightly'], said: ['pause', {}], out: 'its schedule starts nothing' },
    { argv: ['resume', 'workflow/nightly'], said: ['resume', {}], out: 'resumed' },
    { argv: ['cancel', 'nightly-1'], said: ['cancel', {}], out: 'is being cancelled' },
    { argv: ['terminate', 'nightly-1'], said: ['terminate', {}], out: 'terminated' },
  ])('$argv', async ({ argv, said, out }) => {
    expect(await cli('workflow', ...argv)).toMatchObject({ code: 0, out: expect.stringContaining(out) });
    expect(colony.calls.map(({ verb, args }) => [verb, ...args.slice(1)])).toEqual([['command', ...said]]);
  });

  it.each([
    { argv: ['skip', 'nightly-1', 'lod'], err: 'nightly-1 has no step "lod"\nIts steps: load, check, ship.' },
    {
      argv: ['approve', 'nightly-2'],
      err: 'no WorkflowRun is called nightly-2 in namespace default\nSee: colony get workflows,workflowruns',
    },
    { argv: ['graph', 'nobody'], err: 'no WorkflowRun and no Workflow is called nobody' },
    { argv: ['backfill', 'nightly', '--from', '2026-01-01', '--to', '2026-01-02'], err: 'has no start between' },
  ])('$argv says what is wrong', async ({ argv, err }) => {
    expect(await cli('workflow', ...argv)).toMatchObject({ code: 1, err: expect.stringContaining(err) });
  });

  it.each([
    { argv: ['graph', 'nightly', '-o', 'json'], err: '-o json is not known here; use one of text, svg' },
    { argv: ['backfill', 'nightly'], err: 'from when?' },
    { argv: ['backfill', 'nightly', '--from', 'yesterday'], err: '--from is "yesterday"; write a time such as' },
    { argv: ['approve', 'nightly-1', '--reject', '--value', 'a=1'], err: '--value goes with an approval' },
  ])('$argv is a wrong usage', async ({ argv, err }) => {
    expect(await cli('workflow', ...argv)).toMatchObject({ code: 2, err: expect.stringContaining(err) });
  });

  it('does not take the failure for the end of a run that begins again', async () => {
    putRun('r3', 'Failed', {
      load: { phase: 'Failed', startedAt: '2026-03-01T11:59:00Z', finishedAt: '2026-03-01T11:59:01Z', message: 'boom' },
    });
    const before = colony.stored.get('WorkflowRun/default/r3') as Resource;
    const { resources } = colony;
    let looks = 0;
    colony.resources = (apiVersion, kind) => {
      const real = resources.call(colony, apiVersion, kind);
      const get: typeof real.get = (ref) => {
        looks += 1;
        if (looks === 4) putRun('r3', 'Succeeded', { load: { phase: 'Succeeded', startedAt: '2026-03-01T11:59:00Z', attempts: 2 } });
        return real.get(ref);
      };
      return { ...real, get, command: async () => ({ generation: 1, resourceVersion: before.metadata.resourceVersion }) };
    };
    const { code, err } = await cli('workflow', 'retry', 'r3', '--wait');
    expect([code, err]).toEqual([0, expect.stringContaining('✓ load (try 2')]);
  });

  it('tells what its word did, and not what was before', async () => {
    const { resources } = colony;
    const load = { phase: 'Succeeded', startedAt: '2026-03-01T11:59:00Z', finishedAt: '2026-03-01T11:59:02Z' };
    const ship = { phase: 'Failed', startedAt: '2026-03-01T11:59:30Z', finishedAt: '2026-03-01T12:00:00Z', message: 'Rejected.' };
    const command = async () => {
      putRun('nightly-1', 'Failed', { load, check: { ...load, attempts: 2 }, ship });
      return { generation: 1, resourceVersion: '1' };
    };
    colony.resources = (apiVersion, kind) => ({ ...resources.call(colony, apiVersion, kind), command });
    const { code, err } = await cli('workflow', 'approve', 'nightly-1', '--reject', '--wait');
    expect([code, err]).toEqual([1, '    60s  ✗ ship (30s): Rejected.\n']);
  });

  it('is content with a run that was to be cancelled and was', async () => {
    putRun('r4', 'Cancelled', {});
    expect((await cli('workflow', 'cancel', 'r4', '--wait')).code).toBe(0);
  });

  it('asks which step, when several wait', async () => {
    putRun('r2', 'Suspended', { load: { phase: 'Suspended' }, check: { phase: 'Suspended' } });
    expect(await cli('workflow', 'approve', 'r2')).toMatchObject({ code: 2, err: 'error: which step? These wait: load, check\n' });
  });

  it('does not take a wait for time to pass for an approval', async () => {
    const message = 'Waits 2s, until 2026-03-01 11:59:32 UTC.';
    const waits = { phase: 'Suspended', reason: 'WaitingForTime', startedAt: '2026-03-01T11:59:30Z', message };
    const passed = { ...waits, phase: 'Succeeded', reason: 'TimePassed', finishedAt: '2026-03-01T11:59:32Z', message: 'Waited 2s.' };
    putRun('r6', 'Suspended', { ship: waits });
    expect((await cli('workflow', 'graph', 'r6')).out).toContain(`\n\n‖ ship: ${message}\n\n`);
    const { resources } = colony;
    let looks = 0;
    colony.resources = (apiVersion, kind) => {
      const real = resources.call(colony, apiVersion, kind);
      const get: typeof real.get = (ref) => {
        looks += 1;
        if (looks === 4) putRun('r6', 'Succeeded', { ship: passed });
        return real.get(ref);
      };
      return { ...real, get };
    };
    const { out, err } = await cli('workflow', 'follow', 'r6');
    expect(err).toBe(`    30s  ‖ ship: ${message}\n    32s  ✓ ship (2.0s): Waited 2s.\n`);
    expect(out).toContain('Waited 2s.');
  });

  it('takes the step that waits for somebody, not the one that waits for time to pass', async () => {
    putRun('r5', 'Suspended', { load: { phase: 'Suspended', reason: 'WaitingForTime' }, check: { phase: 'Suspended' } });
    expect((await cli('workflow', 'approve', 'r5')).out).toContain('check');
  });

  it('says where to look when the run does not take the word', async () => {
    const { resources } = colony;
    const refused = async () => Promise.reject(new ConflictError('the run has ended already: it is Failed'));
    colony.resources = (apiVersion, kind) => ({ ...resources.call(colony, apiVersion, kind), command: refused });
    expect((await cli('workflow', 'cancel', 'nightly-1')).err).toBe(
      'error: the run has ended already: it is Failed\nSee: colony workflow graph nightly-1\n',
    );
  });

  it('says what the rule of the schedule made of a trigger', async () => {
    colony.triggered = 'Waiting';
    const waiting = await cli('workflow', 'trigger', 'nightly');
    expect([waiting.code, waiting.out]).toEqual([
      0,
      'workflow.automation.colonies.io/nightly triggered; the run starts when an earlier one has ended\n',
    ]);
    colony.triggered = 'Skipped';
    expect(await cli('workflow', 'trigger', 'nightly')).toMatchObject({
      code: 1,
      out: '',
      err: [
        'error: nothing was started: the schedule of nightly skips a run while an earlier one has not ended',
        'See which: colony workflow runs nightly; a run all the same: colony run workflow/nightly',
        '',
      ].join('\n'),
    });
  });

  it('starts runs by the schedule, and says which a backfill starts', async () => {
    expect((await cli('workflow', 'trigger', 'nightly')).out).toBe('workflow.automation.colonies.io/nightly triggered\n');
    colony.scheduled = ['2026-01-01T03:00:00.000Z', '2026-01-02T03:00:00.000Z'];
    const { out } = await cli('workflow', 'backfill', 'nightly', '--from', '2026-01-01', '--to', '2026-01-03');
    expect(out).toBe(
      'workflow.automation.colonies.io/nightly backfills 2 runs from 2026-01-01T03:00:00.000Z to 2026-01-02T03:00:00.000Z\n',
    );
    expect(colony.calls.at(-1)?.args[1]).toEqual({ from: new Date('2026-01-01'), to: new Date('2026-01-03'), parallel: false });
  });
});
