import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Resource } from '../definitions/core/resource.ts';
import { requestState } from '../definitions/request-state/index.ts';
import type { HistoryEntry, RequestStateSpec } from '../definitions/request-state/schema.ts';
import type { ColonyClient, Resources } from '../src/client/api.ts';
import { connect } from '../src/client/connect.ts';
import { Programs } from './support/program.ts';
import { leaseNamespace, startWorker, type TestWorker, temporalAddress } from './support/temporal.ts';

const temporalNamespace = leaseNamespace();
const programs = new Programs(temporalNamespace);

let folder: string;
let worker: TestWorker;
let colony: ColonyClient;
let requests: Resources<RequestStateSpec>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'colony-flow-'));
  worker = await startWorker(temporalNamespace);
  colony = await connect({ address: temporalAddress(), temporalNamespace });
  requests = colony.kind(requestState);
});

afterAll(async () => {
  await programs.endAll();
  await colony?.close();
  await worker?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const flow = (role: 'director' | 'worker', namespace: string, ...more: string[]) =>
  programs.colony(['requeststate', role, '-n', namespace, ...more]);
const historyOf = (request: Resource<RequestStateSpec>): readonly HistoryEntry[] =>
  (request.status as unknown as { history: HistoryEntry[] }).history;
const words = (request: Resource<RequestStateSpec>): string[] =>
  historyOf(request).map(({ job, state, attempt }) => `${job} ${state} ${attempt}`);

/** What the seed promises of one request, read from its history by nothing but its own eyes. */
function judge(history: readonly HistoryEntry[], jobs: readonly string[]): string[] {
  const faults: string[] = [];
  const claims = history.filter(({ state }) => state === 'STARTED').map(({ job, attempt }) => `${job}#${attempt}`);
  if (new Set(claims).size < claims.length) faults.push(`claimed twice: ${claims.join(' ')}`);
  const completed = history.filter(({ state }) => state === 'COMPLETED').map(({ job }) => job);
  if (completed.join() !== jobs.join()) faults.push(`completed ${completed.join() || 'nothing'}, not ${jobs.join()}`);
  for (const entry of history.filter(({ state }) => state === 'COMPLETED')) {
    const started = history.findLast(({ job, state }) => job === entry.job && state === 'STARTED');
    if (started?.actor !== entry.actor || started.attempt !== entry.attempt)
      faults.push(`${entry.job} was completed by one who did not hold it`);
  }
  const times = history.map(({ timestamp }) => Date.parse(timestamp));
  if (times.some((time, index) => !(time >= (times[index - 1] ?? 0)))) faults.push('times go backwards');
  if (history.at(-1)?.state !== 'COMPLETED') faults.push('the end is not on record');
  return faults;
}

describe('a request flow', () => {
  it('goes from job to job as the seed tells it, and the whole history is on record', async () => {
    const hand = flow('worker', 'seed', '--name', 'w', '--work-ms', '50');
    const director = flow('director', 'seed', '--name', 'd');
    expect(await director.ended, director.said).toBe(0);
    const [request, ...others] = await requests.list({ namespace: 'seed' });
    expect(others).toEqual([]);
    expect(request?.metadata.name).toBe(request?.spec['request-uid']);
    expect(request && words(request)).toEqual([
      'JOB1 REQUESTED 1',
      'JOB1 STARTED 1',
      'JOB1 COMPLETED 1',
      'JOB2 REQUESTED 1',
      'JOB2 STARTED 1',
      'JOB2 COMPLETED 1',
    ]);
    expect(historyOf(request as never).map(({ actor }) => actor)).toEqual(['director d', 'w', 'w', 'director d', 'w', 'w']);
    const { said } = await programs.run(['requeststate', 'list', '-n', 'seed']);
    expect(said.match(/JOB[12] +(REQUESTED|STARTED|COMPLETED)/g)?.length).toBeGreaterThanOrEqual(6);
    expect(await hand.end('SIGINT')).toBe(0);
  });

  it('loses nothing when a worker is killed at work and the director is killed and started again', async () => {
    const jobs = ['FETCH', 'TRAIN', 'PUBLISH'];
    const ledger = join(folder, 'ledger');
    writeFileSync(ledger, '');
    const exec = `echo "$REQUEST_UID $JOB $ATTEMPT begun" >> ${ledger}; sleep 0.3; echo "$REQUEST_UID $JOB $ATTEMPT done" >> ${ledger}`;
    const start = (name: string) => flow('worker', 'storm', '--name', name, '--lease', '2s', '--parallel', '3', '--exec', exec);
    const direct = () => flow('director', 'storm', '--name', 'd', '--count', '8', '--jobs', jobs.join(','));
    const [victim, survivor] = [start('victim'), start('survivor')];
    const first = direct();
    await victim.says(/STARTED/);
    await victim.end('SIGKILL');
    await survivor.says(/COMPLETED/);
    await first.end('SIGKILL');
    const second = direct();
    await second.says(/goes on with 8 flows/);
    expect(await Promise.race([second.ended, late(45_000)]), second.said).toBe(0);

    const all = await requests.list({ namespace: 'storm' });
    expect(all).toHaveLength(8);
    for (const request of all) expect(judge(historyOf(request), jobs), words(request).join('\n')).toEqual([]);
    const taken = all.flatMap((request) => historyOf(request)).filter(({ state, actor }) => state === 'STARTED' && actor === 'victim');
    expect(taken.length).toBeGreaterThan(0);
    // The outside observer: what the jobs themselves wrote down.
    const done = readFileSync(ledger, 'utf8')
      .split('\n')
      .filter((line) => line.endsWith('done'));
    expect(new Set(done).size).toBe(done.length);
    for (const { spec } of all)
      for (const job of jobs) expect(done.some((line) => line.startsWith(`${spec['request-uid']} ${job} `))).toBe(true);
  });

  it('asks again after a failure and gives up when the attempts are used up', async () => {
    flow('worker', 'fail', '--jobs', 'WOBBLY', '--exec', '[ "$ATTEMPT" = 2 ]');
    flow('worker', 'fail', '--jobs', 'HOPELESS', '--exec', 'exit 3');
    const director = flow('director', 'fail', '--name', 'd', '--jobs', 'WOBBLY,HOPELESS', '--attempts', '2');
    expect(await director.ended, director.said).toBe(1);
    const [request] = await requests.list({ namespace: 'fail' });
    expect(request && words(request)).toEqual([
      'WOBBLY REQUESTED 1',
      'WOBBLY STARTED 1',
      'WOBBLY FAILED 1',
      'WOBBLY REQUESTED 2',
      'WOBBLY STARTED 2',
      'WOBBLY COMPLETED 2',
      'HOPELESS REQUESTED 1',
      'HOPELESS STARTED 1',
      'HOPELESS FAILED 1',
      'HOPELESS REQUESTED 2',
      'HOPELESS STARTED 2',
      'HOPELESS FAILED 2',
    ]);
  });

  it('times out what takes too long: its worker gives up, and the job is asked for again', async () => {
    const slow = flow('worker', 'late', '--name', 'slow', '--lease', '3s', '--exec', '[ "$ATTEMPT" = 2 ] || sleep 30');
    const director = flow('director', 'late', '--name', 'd', '--jobs', 'ONE', '--timeout', '4s', '--attempts', '2');
    expect(await director.ended, director.said).toBe(0);
    await slow.says(/given up \(attempt 1\)/);
    const [request] = await requests.list({ namespace: 'late' });
    expect(request && words(request)).toEqual([
      'ONE REQUESTED 1',
      'ONE STARTED 1',
      'ONE TIMED_OUT 1',
      'ONE REQUESTED 2',
      'ONE STARTED 2',
      'ONE COMPLETED 2',
    ]);
  });

  it('belongs to its director and to its namespace', async () => {
    const theirs = await requests.apply({
      metadata: { name: 'theirs', namespace: 'own', labels: { director: 'other' } },
      spec: { 'request-uid': 'theirs', job: 'JOB1', state: 'REQUESTED' },
    });
    await requests.apply({
      metadata: { name: 'elsewhere', namespace: 'not-own' },
      spec: { 'request-uid': 'e', job: 'JOB1', state: 'REQUESTED' },
    });
    flow('worker', 'own', '--work-ms', '10');
    const director = flow('director', 'own', '--name', 'mine', '--count', '2');
    expect(await director.ended, director.said).toBe(0);
    await expect
      .poll(() => requests.get({ name: 'theirs', namespace: 'own' }), { timeout: 10_000 })
      .toMatchObject({ spec: { job: 'JOB1', state: 'COMPLETED' } });
    expect((await requests.get({ name: 'elsewhere', namespace: 'not-own' })).spec.state).toBe('REQUESTED');
    expect(director.said).not.toContain(theirs.manifest.metadata.name);
  });

  it('can be wiped out with one command', async () => {
    const { code, said } = await programs.run(['delete', 'requeststates', '--all', '-n', 'own']);
    expect(code, said).toBe(0);
    expect(await requests.list({ namespace: 'own' })).toEqual([]);
    expect(await requests.list({ namespace: 'not-own' })).toHaveLength(1);
  });
});

const late = (ms: number): Promise<string> => new Promise((resolve) => setTimeout(() => resolve('too late'), ms));
