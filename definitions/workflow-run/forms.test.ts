import { describe, expect, it } from 'vitest';
import { annotations } from '../core/annotations.ts';
import type { ChildNews, ChildRef, ChildWish } from '../core/family.ts';
import type { JsonObject } from '../core/resource.ts';
import type { Failing } from '../core/step.ts';
import { workflowRun } from './index.ts';
import { fn, Stage } from './test-double/stage.ts';

describe('http steps', () => {
  it('ask colony itself to make the request, with an idempotency key', () => {
    const stage = new Stage({
      params: { id: 7 },
      steps: [
        {
          name: 'h',
          http: { url: 'https://x/${params.id}', headers: { A: 'b' }, body: { n: '${params.id}' }, expect: 201 },
          timeout: '5s',
        },
      ],
    });
    expect(stage.log[0]).toMatchObject({
      activity: 'httpRequest',
      input: {
        method: 'POST',
        url: 'https://x/7',
        headers: { A: 'b' },
        body: { n: 7 },
        expect: [201],
        timeoutMs: 5_000,
        idempotencyKey: 'u1/h',
      },
    });
    expect(stage.log[0]).not.toHaveProperty('queue');
    stage.land('h', { status: 201, headers: {}, body: { ok: true } });
    expect(stage.steps.h?.outputs).toMatchObject({ status: 201, body: { ok: true } });
  });

  it('with an address that is none fail before anything is sent', () => {
    const stage = new Stage({ params: { url: 'file:///etc' }, steps: [{ name: 'h', http: { url: '${params.url}' } }] });
    expect(stage.steps.h).toMatchObject({
      phase: 'Failed',
      reason: 'TemplateFailed',
      message: 'url must begin with http:// or https:// (got "file:///etc")',
    });
    expect(stage.log).toEqual([]);
  });
});

describe('run steps', () => {
  it('are given to the agent of their node as a template in normal form', () => {
    const stage = new Stage({
      params: { m: '64Mi' },
      steps: [
        {
          name: 'c',
          run: {
            image: 'busybox:1.36',
            command: 'echo hi',
            env: { B: 2, A: '${params.m}' },
            resources: { cpu: '500m', memory: '${params.m}' },
            node: 'n9',
          },
        },
        { name: 'p', run: { command: ['sleep'], args: ['1'] } },
      ],
    });
    expect(stage.log[0]).toMatchObject({
      activity: 'runInstance',
      queue: 'colony-node-n9',
      input: {
        owner: { uid: 'u1', resource: 'workflowruns.automation.colonies.io/default/r1', name: 'r1' },
        path: 'c',
        attempt: 1,
        template: {
          runtime: 'docker',
          image: 'busybox:1.36',
          command: ['sh', '-c', 'echo hi'],
          env: { A: '64Mi', B: '2' },
          limits: { cpus: 0.5, memoryBytes: 64 * 1024 ** 2 },
        },
        idempotencyKey: 'u1/c',
      },
    });
    expect(stage.log[1]).toMatchObject({ queue: 'colony-node-n1', input: { template: { runtime: 'local', command: ['sleep', '1'] } } });
    stage.land('p', { exitCode: 0, output: 'x' }).fail('c', 'ExitCode', { message: 'exit code 3: no such file' });
    expect(stage.steps.c).toMatchObject({ phase: 'Failed', reason: 'ExitCode', message: 'exit code 3: no such file' });
  });

  it('for a node that nobody knows wait, and say which one', () => {
    const stage = new Stage({ params: { n: 'ghost' }, steps: [{ name: 'c', run: { image: 'x', node: '${params.n}' } }] });
    stage.fail('c', 'ExecutorUnavailable', { message: 'nobody on task queue colony-node-ghost took the work within 30 s' });
    expect(stage.steps.c).toMatchObject({ phase: 'Pending', reason: 'ExecutorUnavailable', message: 'no node called ghost answers' });
    expect(stage.conditionOf('ExecutorUnavailable')?.message).toBe('c: no node called ghost answers. It goes on by itself when one comes.');
  });

  describe('of a run that is deleted', () => {
    const leaving = (stage: Stage) => workflowRun.plan({ ...stage.view, deleting: true });
    const onPlaces = { params: { n: 'n2' }, failFast: false, onExit: [{ name: 'bye', run: { image: 'x', node: 'n5' } }] };

    it('leave nothing: what they ran is removed wherever they ran, once nothing of it is on its way', () => {
      const stage = new Stage({
        ...onPlaces,
        steps: [
          { name: 'a', run: { image: 'x' } },
          { name: 'b', run: { command: 'true' } },
          { name: 'c', withItems: ['n3', 'n4'], run: { image: 'x', node: '${item}' }, dependsOn: ['a'] },
          { name: 'd', run: { image: 'x', node: '${params.n}' }, compensate: { run: { image: 'y', node: 'n6' } } },
          { name: 'never', run: { image: 'x', node: 'n7' }, dependsOn: ['b'] },
        ],
      });
      stage.land('a').land('c[0]').fail('c[1]').fail('b');
      expect(leaving(stage)).toMatchObject({ steps: [], finalized: false });
      stage.land('d').land('undo.d').land('exit.bye');
      const { steps, finalized } = leaving(stage);
      expect(steps.map(({ activity, queue, input }) => [activity, queue, input.runtime, input.remove])).toEqual([
        ['syncInstances', 'colony-node-n1', 'docker', 'all'],
        ['syncInstances', 'colony-node-n1', 'local', 'all'],
        ['syncInstances', 'colony-node-n2', 'docker', 'all'],
        ['syncInstances', 'colony-node-n3', 'docker', 'all'],
        ['syncInstances', 'colony-node-n4', 'docker', 'all'],
        ['syncInstances', 'colony-node-n5', 'docker', 'all'],
        ['syncInstances', 'colony-node-n6', 'docker', 'all'],
      ]);
      expect(finalized).toBe(false);
    });

    it('are not waited for where nobody answers: the agent does it when it is back', () => {
      const stage = new Stage({
        steps: [
          { name: 'a', run: { image: 'x' } },
          { name: 'b', run: { image: 'x', node: 'n2' } },
        ],
      });
      stage.land('a').land('b');
      const [one, two] = leaving(stage).steps;
      if (!one || !two) throw new Error('nothing is cleaned up');
      stage.observed[one.about] = { key: one.key, generation: 1, at: stage.now, value: { instances: [] } };
      stage.failing[two.about] = {
        key: two.key,
        reason: 'ExecutorUnavailable',
        message: 'm',
        count: 1,
        since: stage.now,
        retryAt: stage.now,
      };
      expect(leaving(stage)).toMatchObject({ steps: [], finalized: true });
    });

    it('that nobody ever took have left nothing', () => {
      const stage = new Stage({ steps: [{ name: 'a', run: { image: 'x', node: 'ghost' } }] });
      stage.fail('a', 'ExecutorUnavailable');
      stage.failing['step/a'] = { ...(stage.failing['step/a'] as Failing), untaken: true };
      stage.air.clear();
      expect(leaving(stage)).toMatchObject({ steps: [], finalized: true });
    });
  });

  it('with an amount that is none fail before anything is started', () => {
    const stage = new Stage({ params: { m: 'much' }, steps: [{ name: 'c', run: { image: 'x', resources: { memory: '${params.m}' } } }] });
    expect(stage.steps.c).toMatchObject({ phase: 'Failed', reason: 'TemplateFailed' });
    expect(stage.log).toEqual([]);
  });
});

describe('steps that take too long', () => {
  const SERVER = 'activity StartToClose timeout';

  it.each([
    { what: 'their own time-out', step: { run: { command: 'sleep 9' }, timeout: '${params.t}' }, limit: '2s' },
    { what: 'seconds', step: { run: { command: 'sleep 9' }, timeout: 90 }, limit: '1m30s' },
    {
      what: 'that of the function',
      step: fn('a', { functionSpec: { funcName: 'f', conditions: { executorType: 'q' }, maxexectime: 5 } }),
      limit: '5s',
    },
    { what: 'what everybody has', step: fn('a'), limit: '24h0m0s' },
  ])('name it: $what', ({ step, limit }) => {
    const stage = new Stage({ params: { t: '2s' }, steps: [{ ...step, name: 'a' }] });
    stage.fail('a', 'TimedOut', { message: SERVER });
    const message = `It took longer than its timeout of ${limit}.`;
    expect(stage.steps.a).toMatchObject({ phase: 'Failed', reason: 'TimedOut', message });
    expect(stage.status?.message).toBe(`a failed: ${message}`);
  });

  it('say so while they are tried again, and leave alone what an executor says itself', () => {
    const stage = new Stage({ steps: [fn('a', { timeout: '2s', retry: { maxAttempts: 2 } })] });
    stage.fail('a', 'TimedOut', { message: SERVER });
    expect(stage.steps.a).toMatchObject({ reason: 'Retrying', message: 'It took longer than its timeout of 2s.' });
    stage.wait(1_000).pass();
    stage.fail('a', 'TimedOut', { message: 'the database gave up' });
    expect(stage.steps.a?.message).toBe('the database gave up');
  });

  it('with steps of their own, and whole runs, name it too', () => {
    const group = new Stage({ params: { t: '1m' }, steps: [{ name: 'g', timeout: '${params.t}', steps: [fn('x')] }] });
    group.wait(60_000);
    expect(group.steps.g).toMatchObject({ reason: 'TimedOut', message: 'It took longer than its timeout of 1m.' });
    const run = new Stage({ timeout: '90s', steps: [fn('x')] });
    run.wait(90_000).drop('x');
    expect(run.status).toMatchObject({ phase: 'Failed', message: 'The run took longer than its timeout of 90s.' });
  });
});

describe('cached steps', () => {
  const cached = {
    params: { day: 'mon' },
    steps: [fn('a', { cache: { key: 'extract/${params.day}', maxAge: '1h' } }), fn('b', { dependsOn: ['a'] })],
  };

  it('take a result that is known, and do nothing', () => {
    const stage = new Stage(cached);
    expect(stage.log[0]).toMatchObject({
      about: 'cache/a',
      activity: 'readCache',
      input: { key: 'extract/mon', maxAgeMs: 3_600_000, namespace: 'default' },
    });
    stage.land('cache/a', { hit: true, value: { rows: 3 } });
    expect(stage.steps.a).toMatchObject({ phase: 'Succeeded', reason: 'Cached', outputs: { rows: 3 } });
    expect(stage.flightsOf('a')).toEqual([]);
    expect(stage.flying).toEqual(['b']);
  });

  it('are done when it is not known, and keep their result; neither failure holds the run back', () => {
    const stage = new Stage(cached);
    stage.fail('cache/a');
    expect(stage.flying).toEqual(['a']);
    stage.land('a', { rows: 4 });
    expect(stage.log.at(-1)).toMatchObject({
      about: 'keep/a',
      activity: 'writeCache',
      input: { key: 'extract/mon', value: { rows: 4 }, ttlMs: 3_600_000 },
    });
    stage.land('b');
    expect(stage.phase).toBe('Running');
    stage.fail('keep/a');
    expect(stage.phase).toBe('Succeeded');
  });

  it('are not undone when they have done nothing', () => {
    const stage = new Stage({
      steps: [
        fn('a', { cache: { key: 'k' }, compensate: { functionSpec: { funcName: 'undo', conditions: { executorType: 'q' } } } }),
        fn('b', { dependsOn: ['a'] }),
      ],
    });
    stage.land('cache/a', { hit: true, value: {} }).fail('b');
    expect(stage.phase).toBe('Failed');
    expect(stage.flightsOf('undo.a')).toEqual([]);
  });
});

describe('secrets', () => {
  it('are named in any form as they are, and whoever does the step puts them in', () => {
    const secret = '${secret:databases.x.io/default/db#password}';
    const http = { url: `https://x/?k=${secret}&r=\${params.r}`, headers: { Authorization: `Bearer ${secret}` }, body: { p: [secret] } };
    const undo = { http: { url: `https://x/${secret}` } };
    const stage = new Stage({
      params: { r: 'north' },
      steps: [
        { name: 'a', http, compensate: undo },
        { name: 'b', run: { command: 'x', env: { PASSWORD: secret } } },
        { name: 'c', http: { url: secret } },
      ],
      onExit: { name: 'd', http: { url: `https://x/${secret}` } },
    });
    expect(stage.flightsOf('a')[0]?.input).toMatchObject({ ...http, url: `https://x/?k=${secret}&r=north` });
    expect(stage.flightsOf('b')[0]?.input.template).toMatchObject({ env: { PASSWORD: secret } });
    expect(stage.flightsOf('c')[0]?.input).toMatchObject({ url: secret });
    stage.land('a').fail('b');
    stage.land('c');
    expect(stage.flightsOf('undo.a')[0]?.input).toMatchObject({ url: undo.http.url });
    stage.land('undo.a');
    expect(stage.flightsOf('exit.d')[0]?.input).toMatchObject({ url: `https://x/${secret}` });
  });
});

describe('resource steps', () => {
  const manifest = { apiVersion: 'x.io/v1', kind: 'Database', metadata: { name: 'db' }, spec: { size: '${params.size}' } };
  const spec = (more: JsonObject = {}, step: JsonObject = {}) => ({
    params: { size: 3 },
    steps: [
      { name: 'make', resource: { manifest, outputs: { url: 'status.endpoint' }, ...more }, ...step },
      { name: 'use', functionSpec: { funcName: 'f', conditions: { executorType: 'q' }, args: ['${steps.make.outputs.url}'] } },
    ],
  });
  const ref: ChildRef = {
    apiVersion: 'x.io/v1',
    kind: 'Database',
    namespace: 'default',
    name: 'db',
    uid: 'c1',
    id: 'databases.x.io/default/db',
    key: 'make',
    generation: 1,
  };

  /** What was last wished of children. */
  function wishOf(stage: Stage): ChildWish | undefined {
    const step = stage.log.findLast(({ activity }) => activity === 'applyChildren');
    return (step?.input.wishes as readonly ChildWish[] | undefined)?.[0];
  }

  /** The child was made as wished. */
  function made(stage: Stage): void {
    const wish = wishOf(stage);
    stage.land('children', { children: [{ ...ref, digest: wish?.digest }] });
  }

  function tell(stage: Stage, more: Partial<ChildNews>): void {
    const { apiVersion, kind, name, uid, id } = ref;
    const news: ChildNews = {
      id,
      uid,
      apiVersion,
      kind,
      name,
      resourceVersion: '1',
      generation: 1,
      phase: 'Progressing',
      ready: 'False',
      reason: 'R',
      message: 'M',
      ...more,
    };
    stage.observed[`child/${id}`] = { key: 'news', generation: 1, at: stage.now, value: news };
    stage.pass();
  }

  it('apply a manifest, wait until it is ready, and hand on what it tells', () => {
    const stage = new Stage(spec());
    expect(stage.log[0]?.input.wishes).toMatchObject([
      {
        key: 'make',
        manifest: {
          kind: 'Database',
          metadata: { name: 'db', annotations: { [annotations.tells]: 'status.endpoint' } },
          spec: { size: 3 },
        },
      },
    ]);
    made(stage);
    tell(stage, {});
    expect(stage.steps.make).toMatchObject({ phase: 'Running', reason: 'WaitingForResource', message: 'M' });
    tell(stage, { ready: 'True', phase: 'Ready', values: { 'status.endpoint': 'db:5432' } });
    expect(stage.steps.make).toMatchObject({ phase: 'Succeeded', outputs: { kind: 'Database', name: 'db', url: 'db:5432' } });
    expect(stage.flightsOf('use')[0]?.input.args).toEqual(['db:5432']);
  });

  it('stay as they ended, whatever becomes of the resource', () => {
    const stage = new Stage(spec());
    made(stage);
    tell(stage, { ready: 'True', values: { 'status.endpoint': 'db:5432' } });
    tell(stage, { ready: 'False', phase: 'Failed', values: {} });
    expect(stage.steps.make).toMatchObject({ phase: 'Succeeded', outputs: { url: 'db:5432' } });
    stage.land('use');
    expect(stage.phase).toBe('Succeeded');
  });

  it('that were cancelled stay so, although the resource becomes ready before the run has ended', () => {
    const stage = new Stage({ ...spec({}, { compensate: { run: { command: 'undo' } } }), onExit: [fn('bye')] });
    made(stage);
    stage.command('cancel');
    expect(stage.flying).toEqual(['exit.bye']);
    tell(stage, { ready: 'True', phase: 'Ready', values: { 'status.endpoint': 'db:5432' } });
    expect(stage.phases.make).toBe('Cancelled');
    expect(stage.flying).toEqual(['exit.bye']);
  });

  it('go by their own conditions', () => {
    const stage = new Stage(spec({ successCondition: 'status.replicas >= 2', failureCondition: 'status.phase == "Broken"' }));
    expect(stage.log[0]?.input.wishes).toMatchObject([
      { manifest: { metadata: { annotations: { [annotations.tells]: 'status.endpoint status.phase status.replicas' } } } },
    ]);
    made(stage);
    tell(stage, { ready: 'True', values: { 'status.replicas': 1 } });
    expect(stage.steps.make?.phase).toBe('Running');
    tell(stage, { values: { 'status.replicas': 2, 'status.endpoint': 'e' } });
    expect(stage.steps.make?.phase).toBe('Succeeded');
    const other = new Stage(spec({ failureCondition: 'status.phase == "Broken"' }));
    made(other);
    tell(other, { values: { 'status.phase': 'Broken' } });
    expect(other.steps.make).toMatchObject({ phase: 'Failed', reason: 'ResourceFailed' });
  });

  it('go by a condition on a field with a dot in its name', () => {
    const stage = new Stage(spec({ successCondition: 'status.zones["eu.north"] == "up"' }));
    made(stage);
    tell(stage, { ready: 'False', values: { 'status.endpoint': 'e', 'status.zones["eu.north"]': 'up' } });
    expect(stage.steps.make?.phase).toBe('Succeeded');
  });

  it('fail when the resource is refused, has failed, or is not ready in time', () => {
    const refused = new Stage(spec());
    const wish = wishOf(refused);
    refused.land('children', {
      children: [],
      problems: [{ key: 'make', digest: wish?.digest, reason: 'Refused', message: 'spec.size is wrong' }],
    });
    expect(refused.steps.make).toMatchObject({ phase: 'Failed', reason: 'Refused', message: 'spec.size is wrong' });
    const failed = new Stage(spec());
    made(failed);
    tell(failed, { phase: 'Failed', message: 'no disk' });
    expect(failed.steps.make).toMatchObject({ phase: 'Failed', reason: 'ResourceFailed', message: 'Database db is Failed: no disk' });
    const late = new Stage(spec({}, { timeout: '1m' }));
    made(late);
    late.wait(60_000);
    expect(late.steps.make).toMatchObject({ phase: 'Failed', reason: 'TimedOut', message: 'It was not ready within its timeout of 1m.' });
  });

  it.each([
    ['KindUnknown', 'waits for a definition of kind Database'],
    ['NotOwned', 'Database db exists and belongs to WorkflowRun f1.'],
  ])('that are not ready in time say what was in their way: %s', (reason, message) => {
    const stage = new Stage(spec({}, { timeout: '1m' }));
    const digest = wishOf(stage)?.digest;
    stage.land('children', { children: [], problems: [{ key: 'make', digest, reason, message }] });
    stage.wait(60_000);
    const why = message.replace(/\.$/, '');
    expect(stage.steps.make).toMatchObject({ reason: 'TimedOut', message: `It was not ready within its timeout of 1m: ${why}.` });
  });

  it('that are not ready in time say what the resource said', () => {
    const stage = new Stage(spec({}, { timeout: '1m' }));
    made(stage);
    tell(stage, { message: 'No disk is free.' });
    stage.wait(60_000);
    expect(stage.steps.make?.message).toBe('It was not ready within its timeout of 1m: No disk is free.');
  });

  it('wait quietly for a kind that is not there yet', () => {
    const stage = new Stage(spec());
    const wish = wishOf(stage);
    stage.land('children', {
      children: [],
      problems: [{ key: 'make', digest: wish?.digest, reason: 'KindUnknown', message: 'no kind Database' }],
    });
    expect(stage.steps.make).toMatchObject({ phase: 'Running', reason: 'KindUnknown', message: 'no kind Database' });
    expect(stage.plan.steps.map(({ activity }) => activity)).toEqual(['awaitChildren']);
  });

  it('are steps like others where only so many may be under way at once, also when they are made anew', () => {
    const other = { ...manifest, metadata: { name: 'other' } };
    const retry = { maxAttempts: 2, backoff: '10s' };
    const steps = [{ name: 'make', resource: { manifest }, retry }, { name: 'more', resource: { manifest: other } }, fn('f')];
    const stage = new Stage({ params: { size: 3 }, parallelism: 1, steps });
    expect(stage.phases).toEqual({ make: 'Running', more: 'Pending', f: 'Pending' });
    made(stage);
    tell(stage, { phase: 'Failed' });
    expect(stage.phases, 'while it rests there is room').toEqual({ make: 'Running', more: 'Running', f: 'Pending' });
    stage.wait(10_000);
    expect(stage.steps.make).toMatchObject({ reason: 'Retrying', attempts: 1 });
    stage.command('skip', { step: 'more' });
    expect(stage.steps.make).toMatchObject({ reason: 'Retrying', attempts: 2 });
    expect(stage.phases.f).toBe('Pending');
  });

  describe('with a retry', () => {
    const retry = { maxAttempts: 2, backoff: '10s' };
    const removal = (stage: Stage) => stage.air.get('children')?.step;
    const broken = { phase: 'Failed', message: 'no disk' } as const;

    /** The second one was made, as wished. */
    function madeAnew(stage: Stage): void {
      const again = { ...ref, uid: 'c2', digest: wishOf(stage)?.digest };
      stage.land('children', { children: [again] });
    }

    it('delete what failed, make it anew after a rest, and say so as functions do', () => {
      const stage = new Stage(spec({}, { retry }));
      made(stage);
      tell(stage, broken);
      const message = 'Database db is Failed: no disk';
      expect(stage.steps.make).toMatchObject({ phase: 'Running', reason: 'Retrying', message, attempts: 1 });
      expect(stage.air.size, 'it rests').toBe(0);
      stage.wait(10_000);
      expect(removal(stage)).toMatchObject({ activity: 'removeChildren', input: { waves: [[{ uid: 'c1' }]], released: [], all: false } });
      expect(stage.steps.make).toMatchObject({ phase: 'Running', reason: 'Retrying', message, attempts: 2 });
      stage.land('children', { children: [] });
      expect(wishOf(stage)).toMatchObject({ key: 'make', manifest: { metadata: { name: 'db' } } });
      madeAnew(stage);
      expect(stage.air.size).toBe(0);
      tell(stage, { uid: 'c2', message: 'M2' });
      expect(stage.steps.make).toMatchObject({ phase: 'Running', reason: 'WaitingForResource', message: 'M2', attempts: 2 });
      tell(stage, { uid: 'c2', ready: 'True', values: { 'status.endpoint': 'e2' } });
      expect(stage.steps.make).toMatchObject({ phase: 'Succeeded', attempts: 2, outputs: { url: 'e2' } });
    });

    it('fail when the last one has failed, and leave that one to be looked at', () => {
      const stage = new Stage({ ...spec(), onFailure: { retry } });
      made(stage);
      tell(stage, broken);
      stage.wait(10_000);
      stage.land('children', { children: [] });
      madeAnew(stage);
      tell(stage, { ...broken, uid: 'c2' });
      expect(stage.steps.make).toMatchObject({ phase: 'Failed', reason: 'ResourceFailed', attempts: 2 });
      expect(stage.phase).toBe('Failed');
      expect(stage.log.filter(({ activity }) => activity === 'removeChildren')).toHaveLength(1);
    });

    it('have the time of their timeout for each try', () => {
      const stage = new Stage(spec({}, { retry, timeout: '1m' }));
      made(stage);
      stage.wait(60_000);
      expect(stage.steps.make).toMatchObject({ phase: 'Running', reason: 'Retrying', attempts: 1 });
      stage.wait(10_000);
      stage.land('children', { children: [] });
      madeAnew(stage);
      stage.wait(50_000);
      expect(stage.steps.make).toMatchObject({ phase: 'Running', attempts: 2 });
      stage.wait(10_000);
      expect(stage.steps.make).toMatchObject({ phase: 'Failed', reason: 'TimedOut', attempts: 2 });
    });

    it('do not try again what was refused', () => {
      const stage = new Stage(spec({}, { retry }));
      const problem = { key: 'make', digest: wishOf(stage)?.digest, reason: 'Refused', message: 'spec.size is wrong' };
      stage.land('children', { children: [], problems: [problem] });
      expect(stage.steps.make).toMatchObject({ phase: 'Failed', reason: 'Refused', attempts: 1 });
    });

    it('do not begin again while the run is paused, and not at all once it is cancelled', () => {
      const stage = new Stage({ ...spec({}, { retry }), parallelism: 1 });
      made(stage);
      stage.command('pause');
      tell(stage, broken);
      stage.wait(20_000);
      expect(stage.air.size).toBe(0);
      stage.command('resume');
      expect(removal(stage)?.activity).toBe('removeChildren');
      stage.land('children', { children: [] });
      madeAnew(stage);
      stage.command('cancel');
      expect(stage.steps.make).toMatchObject({ phase: 'Cancelled', attempts: 2 });
    });

    it('do not wait with the resources of others until the failed one is gone', () => {
      const other = { name: 'other', dependsOn: ['gate'], resource: { manifest: { ...manifest, metadata: { name: 'o' } } } };
      const stage = new Stage({ params: { size: 3 }, steps: [{ name: 'make', resource: { manifest }, retry }, fn('gate'), other] });
      made(stage);
      tell(stage, broken);
      stage.wait(10_000);
      expect(removal(stage)).toMatchObject({ activity: 'removeChildren', input: { inBackground: true } });
    });

    it('by hand: what failed is made anew, and what was only late is looked at again', () => {
      const stage = new Stage(spec());
      made(stage);
      tell(stage, broken);
      expect(stage.phase).toBe('Failed');
      stage.command('retry');
      expect(stage.steps.make).toMatchObject({ phase: 'Running', attempts: 2 });
      expect(removal(stage)).toMatchObject({ activity: 'removeChildren', input: { waves: [[{ uid: 'c1' }]] } });
      stage.land('children', { children: [] });
      madeAnew(stage);
      tell(stage, { uid: 'c2', ready: 'True', values: { 'status.endpoint': 'e2' } });
      expect(stage.steps.make).toMatchObject({ phase: 'Succeeded', attempts: 2 });

      const late = new Stage(spec({}, { timeout: '1m' }));
      made(late);
      late.wait(60_000);
      late.command('retry');
      expect(late.air.size, 'it is there already').toBe(0);
      tell(late, { ready: 'True', values: { 'status.endpoint': 'e' } });
      expect(late.steps.make).toMatchObject({ phase: 'Succeeded', attempts: 2 });
    });

    it('by hand, after it was made anew and cancelled: that one goes on', () => {
      const stage = new Stage(spec({}, { retry }));
      made(stage);
      tell(stage, broken);
      stage.wait(10_000);
      stage.land('children', { children: [] });
      madeAnew(stage);
      stage.command('cancel');
      stage.command('retry');
      expect(stage.steps.make).toMatchObject({ phase: 'Running', attempts: 3 });
      expect(stage.air.size).toBe(0);
      tell(stage, { uid: 'c2', ready: 'True', values: { 'status.endpoint': 'e2' } });
      expect(stage.steps.make).toMatchObject({ phase: 'Succeeded', attempts: 3 });
    });

    it('a run that is deleted after something was made anew deletes also what nobody has reported', () => {
      const stage = new Stage(spec({}, { retry }));
      made(stage);
      tell(stage, broken);
      stage.wait(10_000);
      stage.land('children', { children: [] });
      expect(workflowRun.plan({ ...stage.view, deleting: true }).steps).toMatchObject([
        { activity: 'removeChildren', input: { all: true } },
      ]);
    });

    it('what is kept is never deleted: not by onFailure.retry, not by hand', () => {
      const stage = new Stage({ ...spec({ keep: true }), onFailure: { retry } });
      made(stage);
      tell(stage, broken);
      expect(stage.steps.make).toMatchObject({ phase: 'Failed', attempts: 1 });
      stage.command('retry');
      expect(stage.log.map(({ activity }) => activity)).not.toContain('removeChildren');
    });
  });

  it('are named by run and step, and go with the run unless they are to be kept', () => {
    const { name: _name, ...unnamed } = manifest.metadata;
    const stage = new Stage(spec({ manifest: { ...manifest, metadata: unnamed }, keep: true }));
    expect(stage.log[0]?.input.wishes).toMatchObject([{ manifest: { metadata: { name: 'r1-make' } } }]);
    const inventory = [ref, { ...ref, key: 'other', uid: 'c2', id: 'databases.x.io/default/other', name: 'other' }];
    stage.observed.children = { key: 'k', generation: 1, at: 1, value: { children: inventory } };
    const { steps } = workflowRun.plan({ ...stage.view, deleting: true, propagation: 'Background' });
    expect(steps).toMatchObject([
      { activity: 'removeChildren', input: { waves: [[{ uid: 'c2' }]], released: [{ uid: 'c1' }], all: false } },
    ]);
    const fresh = new Stage(spec());
    expect(workflowRun.plan({ ...fresh.view, deleting: true }).steps).toMatchObject([{ activity: 'removeChildren', input: { all: true } }]);
    expect(workflowRun.plan({ ...new Stage({ steps: [fn('a')] }).view, deleting: true }).steps).toEqual([]);
  });

  it('are kept also when they are made at the end, or deep inside', () => {
    const make = { name: 'make', resource: { manifest, keep: true } };
    const stage = new Stage({
      params: { size: 3 },
      steps: [fn('a'), { name: 'outer', withItems: [0], dependsOn: ['a'], steps: [make] }],
      onExit: [make, { name: 'group', steps: [{ ...make, withItems: [0, 1] }] }, { ...make, name: 'other', resource: { manifest } }],
    });
    const keys = ['outer[0].make', 'exit.make', 'exit.group.make[1]', 'exit.other'];
    const children = keys.map((key) => ({ ...ref, key, uid: key, id: `databases.x.io/default/${key}` }));
    stage.observed.children = { key: 'k', generation: 1, at: 1, value: { children } };
    const { steps } = workflowRun.plan({ ...stage.view, deleting: true, propagation: 'Background' });
    expect(steps).toMatchObject([
      { input: { waves: [[{ uid: 'exit.other' }]], released: keys.slice(0, 3).map((uid) => ({ uid })), all: false } },
    ]);
  });
});
