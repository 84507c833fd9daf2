import { describe, expect, it } from 'vitest';
import type { Session } from './session.ts';
import { explainSilence } from './silence.ts';

const now = (): number => Math.floor(Date.now() / 1_000);

/** A session whose server knows of a worker that asked for work just now, of none, or says nothing itself. */
function session(worker: 'seen' | 'none' | 'unreachable'): Session {
  const describeTaskQueue = async () => {
    if (worker === 'unreachable') throw new Error('away');
    return { pollers: worker === 'seen' ? [{ lastAccessTime: { seconds: now() } }] : [] };
  };
  return { timeoutMs: 10_000, address: 'a:1', service: { describeTaskQueue }, within: (_: number, call: () => unknown) => call() } as never;
}

describe('explainSilence', () => {
  it.each(['seen', 'none', 'unreachable'] as const)(
    'says that what was written may still happen, and whether to repeat it: worker %s',
    async (worker) => {
      const hintOf = async (sent?: 'apply' | 'delete' | 'command') => (await explainSilence(session(worker), 'Widget w', sent)).hint;
      expect(await hintOf('apply')).toContain('may still happen; sending it again does no harm');
      expect(await hintOf('delete')).toContain('may still happen; sending it again does no harm');
      expect(await hintOf('command')).toContain('may still happen; look before you send it again');
      expect(await hintOf()).not.toContain('still happen');
    },
  );
});
