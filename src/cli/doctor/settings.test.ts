import { describe, expect, it } from 'vitest';
import type { Temporal } from '../temporal.ts';
import { checkSettings } from './settings.ts';

const DEADLINE_EXCEEDED = 4;
const RESOURCE_EXHAUSTED = 8;
const UNAVAILABLE = 14;

interface Server {
  readonly query?: number | 'answered';
  readonly update?: number;
  readonly lateMs?: number;
}

/** A server as colony wants it, but for what the test says. */
function server({ query = RESOURCE_EXHAUSTED, update = DEADLINE_EXCEEDED, lateMs = 0 }: Server) {
  const ended: string[] = [];
  const at = (ms: number) => ({ eventTime: { seconds: Math.floor(ms / 1_000), nanos: (Math.floor(ms) % 1_000) * 1_000_000 } });
  const workflowService = {
    startWorkflowExecution: async () => ({ runId: 'r' }),
    countWorkflowExecutions: async () => ({ count: 1 }),
    getWorkflowExecutionHistory: async () => ({ history: { events: [at(Date.now()), at(Date.now() + 200 + lateMs)] } }),
    updateWorkflowExecution: () => Promise.reject({ code: update }),
    queryWorkflow: () => (query === 'answered' ? Promise.resolve({}) : Promise.reject({ code: query })),
    terminateWorkflowExecution: async ({ workflowExecution }: { workflowExecution: { workflowId: string } }) => {
      ended.push(workflowExecution.workflowId);
    },
  };
  const connection = { workflowService, withDeadline: (_: number, work: () => unknown) => work() };
  return { ended, temporal: { connection, namespace: 'default', identity: 'test' } as unknown as Temporal };
}

const statesOf = async ({ temporal }: ReturnType<typeof server>) =>
  Object.fromEntries((await checkSettings(temporal)).map(({ check, state }) => [check, state]));

describe('checkSettings', () => {
  it('is content with a server that is set as it should be, and leaves nothing behind', async () => {
    const one = server({});
    expect(await statesOf(one)).toEqual({ visibility: 'ok', clock: 'ok', timers: 'ok', updates: 'ok', queries: 'ok' });
    expect(one.ended).toHaveLength(2);
  });

  it.each<{ name: string; with: Server; check: string; state: string }>([
    { name: 'a query is refused as unavailable', with: { query: UNAVAILABLE }, check: 'queries', state: 'ok' },
    { name: 'a query waits', with: { query: DEADLINE_EXCEEDED }, check: 'queries', state: 'bad' },
    { name: 'a query is answered', with: { query: 'answered' }, check: 'queries', state: 'bad' },
    { name: 'updates are refused', with: { update: RESOURCE_EXHAUSTED }, check: 'updates', state: 'bad' },
    { name: 'timers are late', with: { lateMs: 900 }, check: 'timers', state: 'bad' },
  ])('says so when $name', async ({ with: how, check, state }) => expect((await statesOf(server(how)))[check]).toBe(state));
});
