import { describe, expect, it } from 'vitest';
import type { Temporal } from '../temporal.ts';
import { checkWorkers } from './checks.ts';

const INVALID_ARGUMENT = 3;
const DEADLINE_EXCEEDED = 4;
const NOT_FOUND = 5;
const RESOURCE_EXHAUSTED = 8;
const FAILED_PRECONDITION = 9;
const UNAVAILABLE = 14;

/** A server with a worker that was seen just now, and a resource; each question ends with the next code, the last one for ever. */
function server(...codes: readonly (number | 'answered')[]): Temporal {
  const left = [...codes];
  const workflowService = {
    describeTaskQueue: async () => ({ pollers: [{ lastAccessTime: { seconds: Math.floor(Date.now() / 1_000) } }] }),
    listWorkflowExecutions: async () => ({ executions: [{ execution: { workflowId: 'widgets.example.com/default/w' } }] }),
    queryWorkflow: async () => {
      const code = left.length > 1 ? left.shift() : left[0];
      if (code !== 'answered') throw Object.assign(new Error('said'), { code });
    },
  };
  const connection = { workflowService, withDeadline: (_: number, work: () => unknown) => work() };
  return { connection, namespace: 'default' } as unknown as Temporal;
}

describe('checkWorkers', () => {
  it.each<{ name: string; codes: (number | 'answered')[]; state: string }>([
    { name: 'one answers', codes: ['answered'], state: 'ok' },
    { name: 'one answers that it does not know the question', codes: [INVALID_ARGUMENT], state: 'ok' },
    { name: 'one answers when its task is done', codes: [RESOURCE_EXHAUSTED, UNAVAILABLE, 'answered'], state: 'ok' },
    { name: 'one answers about another resource than the one that just ended', codes: [NOT_FOUND, 'answered'], state: 'ok' },
    { name: 'the only one is frozen', codes: [DEADLINE_EXCEEDED], state: 'bad' },
    { name: 'the only one is frozen with a task in its hands', codes: [RESOURCE_EXHAUSTED], state: 'bad' },
    { name: 'nobody has asked for work lately', codes: [FAILED_PRECONDITION], state: 'bad' },
  ])('says $state when $name', async ({ codes, state }) => expect((await checkWorkers(server(...codes))).state).toBe(state));
});
