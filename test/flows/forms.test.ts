import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, Resource } from '../../definitions/core/resource.ts';
import type { Resources } from '../../src/client/api.ts';
import { eventually, Stage } from '../support/instances.ts';

interface Heard {
  readonly path: string;
  readonly method: string;
  readonly body: string;
  readonly key: string | undefined;
}

interface StepSeen {
  readonly phase: string;
  readonly attempts?: number;
  readonly message?: string;
  readonly reason?: string;
  readonly outputs?: JsonObject;
}

let stage: Stage;
let runs: Resources;
let server: Server;
let at: string;
const heard: Heard[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const { url: path = '', method = '', headers } = request;
      heard.push({ path, method, body, key: headers['idempotency-key'] as string | undefined });
      response
        .writeHead(path.startsWith('/fail') ? 500 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ rows: 7, path, ...(path === '/large' ? { text: 'x'.repeat(50_000) } : {}) }));
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  stage = await Stage.start({ config: { allowLocal: true } });
  runs = stage.colony.resources('automation.colonies.io/v1', 'WorkflowRun');
});

afterAll(async () => {
  server?.close();
  await stage?.end();
});

const PHASES = ['Succeeded', 'Failed', 'Cancelled', 'Terminated'];

async function finished(
  name: string,
): Promise<{ readonly run: Resource; readonly phase: string; readonly steps: Readonly<Record<string, StepSeen>> }> {
  let last: unknown;
  return await eventually(
    () => `${name} is finished, not ${JSON.stringify(last)}`,
    async () => {
      const run = await runs.get(name);
      last = run.status;
      const phase = run.status?.phase ?? '';
      return PHASES.includes(phase) ? { run, phase, steps: run.status?.steps as Readonly<Record<string, StepSeen>> } : undefined;
    },
  );
}

const apply = (name: string, spec: JsonObject) => runs.apply({ metadata: { name }, spec });

describe.concurrent('steps of a real run', () => {
  it('run a container, a process and an HTTP call, each with what the one before has brought', async () => {
    await apply('forms', {
      steps: [
        { name: 'make', run: { image: 'colony-test:v1', command: 'echo from container' } },
        { name: 'ask', dependsOn: ['make'], http: { url: `${at}/ask`, method: 'POST', body: { said: '${steps.make.outputs.output}' } } },
        {
          name: 'end',
          dependsOn: ['ask'],
          run: { runtime: 'local', command: ['sh', '-c', 'echo rows $ROWS'], env: { ROWS: '${steps.ask.outputs.body.rows}' } },
        },
      ],
    });
    const { phase, steps, run } = await finished('forms');
    expect([phase, steps.make?.outputs, steps.end?.outputs]).toMatchObject([
      'Succeeded',
      { exitCode: 0, output: 'from container' },
      { output: 'rows 7' },
    ]);
    const asked = heard.filter(({ path }) => path === '/ask');
    expect(asked).toMatchObject([{ method: 'POST', key: `${run.metadata.uid}/ask` }]);
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({ said: 'from container' });
    const { events } = await stage.client.workflow.getHandle('workflowruns.automation.colonies.io/default/forms').fetchHistory();
    const updates = (events ?? []).flatMap(
      ({ workflowExecutionUpdateAcceptedEventAttributes: accepted }) => accepted?.acceptedRequest?.input?.name ?? [],
    );
    expect(updates, 'nobody tells a run of its containers').toEqual(['apply']);
  });

  it('say what can stand in the next command: the end of the last line is not part of it', async () => {
    await apply('words', {
      steps: [
        { name: 'x', run: { runtime: 'local', command: 'echo x; echo; echo x; echo' } },
        { name: 'y', run: { runtime: 'local', command: "echo '${steps.x.outputs.output}' y" } },
      ],
    });
    const { steps } = await finished('words');
    expect([steps.x?.outputs?.output, steps.y?.outputs?.output]).toEqual(['x\n\nx', 'x\n\nx y']);
  });

  it('fail with what was wrong, are tried again as they say, and tell whoever shall be told', async () => {
    await apply('failing', {
      failFast: false,
      steps: [
        {
          name: 'leave',
          run: { image: 'colony-test:v1', command: 'echo no luck >&2; exit 4' },
          retry: { maxAttempts: 2, backoff: { initial: '100ms' } },
        },
        { name: 'refused', http: { url: `${at}/fail` } },
        { name: 'forbidden', http: { url: 'http://169.254.169.254/latest' } },
        { name: 'nowhere', run: { image: 'colony-test:nowhere', command: 'true' } },
      ],
      onFailure: { notify: [`${at}/told`] },
    });
    const { phase, steps } = await finished('failing');
    expect(phase).toBe('Failed');
    expect(steps.leave).toMatchObject({ phase: 'Failed', attempts: 2, message: expect.stringContaining('exit code 4: no luck') });
    expect(steps.refused).toMatchObject({ phase: 'Failed', message: expect.stringContaining('answered 500') });
    expect(steps.forbidden).toMatchObject({ phase: 'Failed', message: expect.stringContaining('may not call') });
    expect(steps.nowhere).toMatchObject({ phase: 'Failed', message: expect.stringContaining('colony-test:nowhere') });
    const told = await eventually('somebody is told', async () => heard.find(({ path }) => path === '/told'));
    expect(JSON.parse(told.body)).toMatchObject({ run: { name: 'failing', status: 'Failed' } });
  });

  it('end a run that fails at once, also when nobody can be told, which is said then', async () => {
    await apply('untold', {
      steps: [{ name: 'leave', run: { runtime: 'local', command: 'exit 1' } }],
      onFailure: { notify: ['http://127.0.0.1:1/hook', 'ops@example.org'] },
    });
    const { run } = await finished('untold');
    expect(run.status?.notifications, 'nobody was waited for').toMatchObject([{}, { to: 'ops@example.org', phase: 'Sending' }]);
    const warnings = await eventually(
      'both are said not to be told',
      async () => {
        const said = (await runs.events('untold')).filter(({ type, reason }) => type === 'Warning' && reason === 'NotNotified');
        return said.length === 2 ? said.map(({ message }) => message) : undefined;
      },
      60_000,
    );
    expect(warnings).toEqual([
      expect.stringMatching(/^http:..127.0.0.1:1.hook was not told: .+/),
      'ops@example.org was not told: nobody serves the task queue notifications.',
    ]);
    const { status } = await runs.get('untold');
    expect(status).toMatchObject({ phase: 'Failed', notifications: [{ phase: 'Failed' }, { phase: 'Failed' }] });
    expect([status?.finishedAt, status?.duration]).toEqual([run.status?.finishedAt, run.status?.duration]);
  });

  it('are done once for one key of the cache, until that is too old', async () => {
    const spec = { steps: [{ name: 'costly', http: { url: `${at}/costly` }, cache: { key: 'costly-of-today', maxAge: '1h' } }] };
    await apply('cached-1', spec);
    const first = await finished('cached-1');
    await eventually(
      'it is kept',
      async () => (await stage.colony.resources('automation.colonies.io/v1', 'StepCache').list()).length > 0 || undefined,
    );
    await apply('cached-2', spec);
    const second = await finished('cached-2');
    expect([first.phase, second.phase]).toEqual(['Succeeded', 'Succeeded']);
    expect(second.steps.costly?.outputs).toEqual(first.steps.costly?.outputs);
    expect(heard.filter(({ path }) => path === '/costly')).toHaveLength(1);
    await apply('cached-3', { steps: [{ ...spec.steps[0], cache: { key: 'costly-of-today', maxAge: '1ms' } }] });
    await finished('cached-3');
    expect(heard.filter(({ path }) => path === '/costly')).toHaveLength(2);
  });

  it('are forgotten by the cache when they are undone', async () => {
    const order = {
      name: 'order',
      http: { url: `${at}/order` },
      cache: { key: 'order' },
      compensate: { http: { url: `${at}/send-back` } },
    };
    const caches = stage.colony.resources('automation.colonies.io/v1', 'StepCache');
    const kept = async () => (await caches.list()).filter(({ spec }) => spec.key === 'order');
    await apply('ordered-1', { steps: [order, { name: 'wait', suspend: {}, dependsOn: ['order'] }] });
    await eventually('it is kept', async () => (await kept()).length > 0 || undefined);
    await runs.command('ordered-1', 'reject', { step: 'wait' });
    await finished('ordered-1');
    await eventually('it is forgotten', async () => (await kept()).length === 0 || undefined);
    await apply('ordered-2', { steps: [order] });
    expect((await finished('ordered-2')).steps.order).not.toHaveProperty('reason');
    expect(heard.filter(({ path }) => path === '/order')).toHaveLength(2);
  });

  it('hand on what fits of a large answer, and say so', async () => {
    const spec = { steps: [{ name: 'large', http: { url: `${at}/large` }, cache: { key: 'large', maxAge: '1h' } }] };
    await apply('large-1', spec);
    expect(await finished('large-1')).toMatchObject({ phase: 'Succeeded', steps: { large: { phase: 'Succeeded' } } });
    await apply('large-2', spec);
    await finished('large-2');
    expect(heard.filter(({ path }) => path === '/large')).toHaveLength(1);
  });

  it('are run anew after they were undone, and so are their undo and what is done at the end', async () => {
    const traces = join(stage.home, 'paid');
    const trace = (word: string) => ({ command: 'echo "$WORD" >> "$TRACES"', env: { WORD: word, TRACES: traces } });
    const answer = async (verdict: string) => {
      await eventually('it asks', async () => (await runs.get('paid')).status?.phase === 'Suspended' || undefined);
      await runs.command('paid', verdict, { step: 'ask' });
      return await finished('paid');
    };
    await apply('paid', {
      steps: [
        { name: 'pay', run: trace('pay'), compensate: { run: trace('refund') } },
        { name: 'ask', suspend: {}, dependsOn: ['pay'] },
      ],
      onExit: { name: 'bye', run: trace('bye') },
    });
    for (const verdict of ['reject', 'reject']) {
      expect((await answer(verdict)).phase).toBe('Failed');
      await runs.command('paid', 'retry', {});
    }
    expect((await answer('approve')).steps).toMatchObject({ pay: { attempts: 3 }, 'exit.bye': { attempts: 3 } });
    const round = ['pay', 'refund', 'bye'];
    expect(readFileSync(traces, 'utf8').trim().split('\n')).toEqual([...round, ...round, 'pay', 'bye']);
  });

  it('end with their run: a cancel stops what they have started', async () => {
    await apply('stopped', { steps: [{ name: 'stay', run: { image: 'colony-test:v1', command: ['stay'] } }] });
    const { uid } = (await runs.get('stopped')).metadata;
    const containers = () => stage.engine.list(`colony.uid=${uid}`);
    await eventually('it runs', async () => (await containers()).some(({ State }) => State === 'running') || undefined);
    await runs.command('stopped', 'cancel', {});
    expect((await finished('stopped')).phase).toBe('Cancelled');
    expect(await containers()).toEqual([]);
  });

  it('go with their run: what they ran is gone when its delete comes back', async () => {
    await apply('goes', {
      steps: [
        { name: 'done', run: { image: 'colony-test:v1', command: 'echo done' } },
        { name: 'ask', suspend: {}, dependsOn: ['done'] },
      ],
    });
    const { uid } = (await runs.get('goes')).metadata;
    await eventually('it waits', async () => (await runs.get('goes')).status?.phase === 'Suspended' || undefined);
    const containers = () => stage.engine.list(`colony.uid=${uid}`);
    expect(await containers(), 'kept for as long as somebody may ask how it ended').toHaveLength(1);
    await runs.delete('goes');
    expect(await containers()).toEqual([]);
  });
});
