import { describe, expect, it } from 'vitest';
import type { View } from '../../../definitions/core/plan.ts';
import type { JsonObject } from '../../../definitions/core/resource.ts';
import { requestState } from '../../../definitions/request-state/index.ts';
import type { RequestStateSpec } from '../../../definitions/request-state/schema.ts';
import { FakeColony } from '../test-double/colony.ts';
import { colonyCli } from '../test-double/run.ts';

const cli = (...argv: string[]) => colonyCli(new FakeColony(), ['requeststate', ...argv]);

describe('colony requeststate', () => {
  it.each([
    { name: 'a lease that no request grants', argv: ['worker', '--lease', '48h'], option: '--lease' },
    { name: 'a lease too short to renew', argv: ['worker', '--lease', '500ms'], option: '--lease' },
    { name: 'a worker without a name', argv: ['worker', '--name', ''], option: '--name' },
    { name: 'a name that no claim can hold', argv: ['worker', '--name', 'w'.repeat(201)], option: '--name' },
    { name: 'a job that no request can have', argv: ['worker', '--jobs', 'J'.repeat(254)], option: '--jobs' },
    { name: 'a namespace that cannot be, for a worker', argv: ['worker', '-n', 'Bad NS'], option: 'the namespace' },
    { name: 'a namespace that cannot be, for a director', argv: ['director', '-n', 'Bad NS'], option: 'the namespace' },
    { name: 'a namespace that cannot be, for a list', argv: ['list', '-n', 'Bad NS'], option: 'the namespace' },
  ])('refuses $name before it begins', async ({ argv, option }) => {
    const { code, err } = await cli(...argv);
    expect([code, err]).toEqual([2, expect.stringContaining(`error: ${option}`)]);
  });

  it('lists nothing that a terminal would obey, whatever a request holds', async () => {
    const job = '\u001b[31mred\nsecond line';
    const worker = 'w\u001b[2J';
    const history = [{ job, state: 'STARTED', timestamp: '2026-01-01T00:00:00.000Z', actor: worker, attempt: 1 }];
    const claim = { worker, expiresAt: '2026-01-01T00:00:30.000Z', expired: false };
    const colony = new FakeColony().define('RequestState', 'com.redhat.ecosystem.sample').put({
      kind: 'RequestState',
      name: 'r1',
      spec: { 'request-uid': 'u1', job, state: 'STARTED' },
      status: { job, state: 'STARTED', attempt: 1, history, historyCut: 0, claim } as never,
    });
    const { out } = await colonyCli(colony, ['requeststate', 'list'], { outIsTerminal: true });
    expect(out).not.toContain('\u001b');
    expect(out.split('\n')[0]).toBe('r1  \\x1b[31mred\\nsecond line STARTED, claimed by w\\x1b[2J until 2026-01-01T00:00:30.000Z');
  });

  it('is claimed with the words that the help of `command` shows', async () => {
    const colony = new FakeColony().define('RequestState', 'com.redhat.ecosystem.sample').put({ kind: 'RequestState', name: 'r1' });
    const example = /colony (command requeststate.*)/.exec((await colonyCli(colony, ['command', '--help'])).out)?.[1] ?? '';
    await colonyCli(colony, example.split(' '));
    const [, verb, args] = colony.calls.flatMap((call) => call.args) as [unknown, string, JsonObject];
    const view = { now: 0, spec: { 'request-uid': 'u', job: 'JOB1', state: 'REQUESTED' }, observed: {} } as View<RequestStateSpec>;
    expect(requestState.commands?.[verb]?.(view, args, { actor: 'me', now: 0 })).toMatchObject({ answer: { worker: 'me' } });
  });
});
