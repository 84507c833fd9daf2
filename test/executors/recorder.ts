import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { conflict, defineExecutor, forbidden, invalidSpec, notReady } from 'colony/executor';

/** Writes down every call, then does what the spec asks for. The same as recorder.py. */
export default defineExecutor({
  executorType: process.env.QUEUE ?? 'recorder',
  functions: {
    record: async (request, { signal }) => {
      const note = (text: string): void =>
        appendFileSync(process.env.CALLS ?? '', `${JSON.stringify({ ...request, note: text, at: Date.now() })}\n`);
      note('called');
      const { mode, file, text } = request.spec as { mode: string; file?: string; text?: string };
      if (request.operation === 'finalize') return {};
      const isCured = file !== undefined && existsSync(file);
      if (mode === 'invalid') throw invalidSpec('spec.text: cannot be so');
      if (mode === 'forbidden') throw forbidden('spec.text: may not be so');
      if (mode === 'notReady' && !isCured) throw notReady('waits for the file', { retryAfterSeconds: 0.2 });
      if (mode === 'conflict' && !isCured) throw conflict('somebody holds the file');
      if (mode === 'final' && !isCured) throw ApplicationFailure.nonRetryable('the pump is broken', 'Exploded');
      if (mode === 'error' && !isCured) throw new Error('the disk is on fire');
      if (mode === 'useless' && !isCured) return { status: 'fine', conditions: [{ type: 'Recorded', status: 'yes' }] } as object;
      signal.addEventListener('abort', () => note('aborted'));
      if (mode === 'slow') await pause(20_000, undefined, { signal });
      return {
        status: { text, seen: request.metadata.generation },
        conditions: [{ type: 'Recorded', status: 'True', reason: 'Written' }],
        outputs: { answer: 42 },
      };
    },
  },
});
