import { describe, expect, it } from 'vitest';
import { run } from '../run.ts';
import { appColony, putApp, ready } from '../test-double/app.ts';
import { fakeIo } from '../test-double/io.ts';
import { colonyCli } from '../test-double/run.ts';

const rollout = (state: string, message: string) => ({
  state,
  digest: 'd1',
  message,
  progressedAt: '2026-03-01T11:59:00Z',
  updated: 1,
  outdated: 1,
});
const counts = { replicas: 2, updatedReplicas: 2, readyReplicas: 2 };

describe('colony rollout status', () => {
  it('follows until the new revision has taken over', async () => {
    const colony = appColony({
      conditions: [ready('False')],
      rollout: rollout('Progressing', '1 of 2 run revision d1, 1 an earlier one.'),
    });
    colony.onLook = (looks) => {
      if (looks === 2) putApp(colony, { conditions: [ready('True')], rollout: rollout('Complete', 'Done.'), ...counts });
    };
    expect(await colonyCli(colony, ['rollout', 'status', 'app/web'])).toEqual({
      code: 0,
      out: 'app.example.com/web is rolled out: 2 replicas, 2 updated, 2 ready.\n',
      err: 'web: 1 of 2 run revision d1, 1 an earlier one\n',
    });
  });

  it.each(['Failed', 'RolledBack'])('ends with 1 when it is %s', async (state) => {
    const colony = appColony({ conditions: [ready('False')], rollout: rollout(state, 'Revision d1 did not get ready in time.') });
    expect(await colonyCli(colony, ['rollout', 'status', 'app/web'])).toEqual({
      code: 1,
      out: '',
      err: 'error: app.example.com/web failed: Revision d1 did not get ready in time.\n',
    });
  });

  it('does not take what was said of an earlier spec for an answer', async () => {
    const colony = appColony({ conditions: [ready('True')], rollout: rollout('Failed', 'Long ago.') }, { generation: 2 });
    const { code, err } = await colonyCli(colony, ['rollout', 'status', 'app/web', '--timeout', '30ms']);
    expect([code, err.split('\n')[0]]).toEqual([1, 'web: generation 2 was not looked at yet']);
  });

  it('does not take a rollout for its own that ended before the image was known', async () => {
    const old = { rollout: rollout('Failed', 'Long ago.'), targetRevision: { generation: 1, digest: 'd1' } };
    const colony = appColony({ conditions: [ready('Unknown', { observedGeneration: 2 })], ...old }, { generation: 2 });
    colony.inTheAir = [{ activity: 'resolveImage', state: 'running', attempt: 1, summary: 'look up nginx:1', doing: 'pulls 3 of 40 MB' }];
    const { err } = await colonyCli(colony, ['rollout', 'status', 'app/web', '--timeout', '700ms']);
    expect(err.split('\n')[0]).toBe('web: what the image stands for is not known yet; look up nginx:1 (pulls 3 of 40 MB)');
  });

  it('says of replicas that have done their work that they have, not that none is ready', async () => {
    const done = ready('True', { reason: 'Completed', message: '2 of 2 replicas have done their work.' });
    const colony = appColony({ conditions: [done], rollout: rollout('Complete', 'Done.'), ...counts, readyReplicas: 0 });
    expect((await colonyCli(colony, ['rollout', 'status', 'app/web'])).out).toBe(
      'app.example.com/web is rolled out: 2 of 2 replicas have done their work.\n',
    );
  });

  it('says that a rollout is paused also when nothing is left to take over', async () => {
    const colony = appColony({ conditions: [ready('True')], rollout: { ...rollout('Complete', 'Done.'), paused: true }, ...counts });
    expect((await colonyCli(colony, ['rollout', 'status', 'app/web'])).out).toBe(
      'app.example.com/web is rolled out: 2 replicas, 2 updated, 2 ready; paused, so nothing new takes over.\n',
    );
  });

  it('says what is wrong while it goes on', async () => {
    const conditions = [ready('False'), { ...ready('True'), type: 'Degraded', message: 'Slots 0-1 ended again and again.' }];
    const colony = appColony({ conditions, rollout: rollout('Progressing', '1 of 2 run revision d1.') });
    expect((await colonyCli(colony, ['rollout', 'status', 'app/web', '--watch=false'])).out).toBe(
      'web: 1 of 2 run revision d1; Slots 0-1 ended again and again\n',
    );
  });

  it('rewrites one line on a terminal and leaves nothing of it', async () => {
    const colony = appColony({ conditions: [ready('False')], rollout: rollout('Paused', `Paused: ${'x'.repeat(200)}`) });
    const io = fakeIo({ errIsTerminal: true });
    const running = run(['rollout', 'status', 'app/web'], io, async () => colony);
    await expect.poll(() => io.stderr()).toContain('…');
    io.interrupt();
    expect(await running).toBe(130);
    const [, first = ''] = io.stderr().split('\r\u001b[K');
    expect(first.length).toBeLessThan(80);
    expect(io.stderr()).toContain('\r\u001b[Kerror: app.example.com/web goes on by itself: Paused');
  });

  it('takes one look, or gives it as JSON', async () => {
    const colony = appColony({ conditions: [ready('False')], rollout: rollout('Progressing', 'Half.') });
    colony.inTheAir = [{ activity: 'syncInstances', state: 'waiting', attempt: 3, queue: 'colony-node-a', failure: 'no engine' }];
    expect(await colonyCli(colony, ['rollout', 'status', 'app/web', '--watch=false'])).toEqual({
      code: 0,
      out: 'web: Half; syncInstances on node a, 3rd try after: no engine\n',
      err: '',
    });
    expect(JSON.parse((await colonyCli(colony, ['rollout', 'status', 'app/web', '-o', 'json'])).out)).toMatchObject({
      state: 'underWay',
      rollout: { state: 'Progressing' },
      pending: [{ attempt: 3 }],
    });
  });

  it('says that a resource is not there', async () => {
    expect(await colonyCli(appColony(), ['rollout', 'status', 'app/none'])).toMatchObject({
      code: 1,
      err: 'error: app.example.com/none failed: App none does not exist.\n',
    });
  });
});

describe('colony rollout', () => {
  it.each([
    ['pause', 'rollout paused'],
    ['resume', 'rollout resumed'],
    ['restart', 'rollout restarted'],
  ])('%s is the command of the kind', async (verb, done) => {
    const colony = appColony();
    expect((await colonyCli(colony, ['rollout', verb, 'app/web'])).out).toBe(`app.example.com/web ${done}\n`);
    expect(colony.calls[0]?.args.slice(1)).toEqual([verb, {}]);
  });

  it.each([
    ['pause', 'rollout was paused already'],
    ['resume', 'rollout was not paused'],
  ])('%s says when it changed nothing', async (verb, done) => {
    const colony = appColony();
    colony.answer = { changed: false };
    expect((await colonyCli(colony, ['rollout', verb, 'app/web'])).out).toBe(`app.example.com/web ${done}\n`);
  });

  it('sets the field of a kind without the command, and refuses a kind without rollouts', async () => {
    const colony = appColony({ rollout: rollout('Complete', '') }, { commands: [] }).put({ kind: 'Widget', name: 'w1' });
    await colonyCli(colony, ['rollout', 'restart', 'app/web']);
    expect(colony.calls[0]?.args.slice(1)).toEqual(['spec.restartedAt', '2026-03-01T12:00:00.000Z']);
    expect((await colonyCli(colony, ['rollout', 'pause', 'widget/w1'])).code).toBe(2);
  });

  it('undo is the command of the kind, which leaves replicas alone', async () => {
    const colony = appColony({}, { commands: ['undo'] });
    colony.answer = { rolledBackTo: 1 };
    expect((await colonyCli(colony, ['rollout', 'undo', 'app/web'])).out).toBe(
      'app.example.com/web rolled back to the template of revision 1 (generation 7)\n',
    );
    await colonyCli(colony, ['rollout', 'undo', 'app/web', '--to', '1']);
    expect(colony.calls.map(({ verb, args }) => [verb, ...args.slice(1)])).toEqual([
      ['command', 'undo', {}],
      ['command', 'undo', { to: 1 }],
    ]);
  });

  it('undo is a rollback of the whole spec for a kind that knows no templates', async () => {
    const colony = appColony();
    await colonyCli(colony, ['rollout', 'undo', 'app/web', '--to', '1']);
    expect(colony.calls[0]).toMatchObject({ verb: 'rollback', args: [{ name: 'web' }, { to: 1 }] });
  });

  it('history is the history', async () => {
    const colony = appColony();
    colony.revisions = [{ generation: 1, spec: {}, at: '2026-03-01T11:00:00Z', by: 'me' }];
    expect((await colonyCli(colony, ['rollout', 'history', 'app/web'])).out).toContain('created');
  });
});
