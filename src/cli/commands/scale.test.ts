import { describe, expect, it } from 'vitest';
import { appColony, putApp, ready } from '../test-double/app.ts';
import { colonyCli } from '../test-double/run.ts';

describe('colony scale', () => {
  it("uses the kind's own command", async () => {
    const colony = appColony();
    expect((await colonyCli(colony, ['scale', 'app/web', '--replicas', '0'])).out).toBe('app.example.com/web scaled to 0 (generation 7)\n');
    expect(colony.calls).toEqual([{ verb: 'command', args: [{ name: 'web', namespace: 'default' }, 'scale', { replicas: 0 }] }]);
  });

  it('sets the field of a kind without one, and refuses what cannot be scaled', async () => {
    const colony = appColony({}, { commands: [] }).put({ kind: 'Widget', name: 'w1' });
    await colonyCli(colony, ['scale', 'app/web', '--replicas', '3']);
    expect(colony.calls.at(-1)?.args.slice(1)).toEqual(['spec.replicas', 3]);
    expect((await colonyCli(colony, ['scale', 'widget/w1', '--replicas', '3'])).code).toBe(2);
  });

  it.each([[[]], [['--replicas', '-1']], [['--replicas', 'two']], [['--replicas', '']], [['--replicas', '1', '--wait=perhaps']]])(
    'refuses %j',
    async (more) => expect((await colonyCli(appColony(), ['scale', 'app/web', ...more])).code).toBe(2),
  );

  it('waits with what is in the air, a line for every change', async () => {
    const colony = appColony({ conditions: [ready('Unknown', { message: 'Work is under way.' })] });
    colony.onLook = (looks) => {
      const starting = { activity: 'syncInstances', state: 'running' as const, attempt: 1, summary: 'start slots 0-4 on a', total: 5 };
      colony.inTheAir = looks < 3 ? [{ ...starting, done: looks, doing: 'starting web-3' }] : [];
      if (looks === 3) putApp(colony, { conditions: [ready('True')], replicas: 5, updatedReplicas: 5, readyReplicas: 5 });
    };
    expect(await colonyCli(colony, ['scale', 'app/web', '--replicas', '5', '--wait'])).toEqual({
      code: 0,
      out: 'app.example.com/web scaled to 5 (generation 7)\napp.example.com/web is ready: 5 replicas, 5 updated, 5 ready\n',
      err:
        'web: Work is under way; start slots 0-4 on a: 1 of 5 (starting web-3)\n' +
        'web: Work is under way; start slots 0-4 on a: 2 of 5 (starting web-3)\n' +
        'web: Work is under way\n',
    });
  });

  it('says why when the time is up', async () => {
    const colony = appColony({ conditions: [ready('False', { reason: 'CrashLoopBackOff', message: 'Slot 1 ended again and again.' })] });
    const { code, err } = await colonyCli(colony, ['scale', 'app/web', '--replicas', '5', '--wait', '--timeout', '50ms']);
    expect(code).toBe(1);
    expect(err).toContain('error: app.example.com/web is not there yet after 0s: Slot 1 ended again and again.\nCrashLoopBackOff: ');
  });
});
