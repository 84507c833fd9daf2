import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { temporal } from '@temporalio/proto';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { FileStore } from '../../activities/secrets/file-store.ts';
import { eventually, Stage } from '../support/instances.ts';
import { type Program, Programs } from '../support/program.ts';
import { Errand, startErrands } from './errands.ts';

/** Found in any artefact, it has leaked. */
const CANARY = 'canary-7c1d-4f0b-value';
const DB = 'databases.app.colonies.io/default/db';
const REFERENCE = `\${secret:${DB}#password}`;

let stage: Stage;
let programs: Programs;
let agent: Program;
let store: FileStore;
let server: Server;
const heard: string[] = [];
const secretsDir = mkdtempSync(join(tmpdir(), 'colony-kept-'));

beforeAll(async () => {
  stage = await Stage.start({ inProcess: 'worker', config: { allowLocal: true, secretsDir } });
  programs = new Programs(stage.namespace);
  store = new FileStore(secretsDir);
  agent = await programs.node({ ...stage.env, COLONY_LOG_LEVEL: 'trace', COLONY_SECRETS_DIR: secretsDir });
  await startErrands(stage);
  // Says all that it was told; half of the time it is not content.
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const said = JSON.stringify({ url: request.url, authorization: request.headers.authorization, body });
      heard.push(said);
      response.writeHead(request.url?.startsWith('/bad') ? 500 : 200, { 'content-type': 'application/json' }).end(said);
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
});

afterAll(async () => {
  server?.close();
  await programs?.endAll();
  await stage?.end();
  rmSync(secretsDir, { recursive: true, force: true });
});

/** Every file below a folder that holds the text. */
function filesWith(text: string, folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => isFile(path) && readFileSync(path).includes(text));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

async function historyOf(workflowId: string): Promise<Buffer> {
  const history = await stage.client.workflow.getHandle(workflowId).fetchHistory();
  return Buffer.from(temporal.api.history.v1.History.encode(history).finish());
}

it('the value of a secret is in the container and nowhere else', async () => {
  const one = await stage.deployment({
    env: { PASSWORD: REFERENCE, URL: `postgres://me:${REFERENCE}@db/x` },
    command: ['stay', `--password=${REFERENCE}`],
  });
  await eventually('it says which secret is missing', async () => {
    const { reason, message } = (await one.condition('Ready')) ?? {};
    return reason === 'SecretMissing' && message?.includes(`password of ${DB}`) ? true : undefined;
  });
  await store.put(DB, 'password', CANARY);
  await one.ready();
  const [container] = await one.inspect();
  expect(container?.Config.Env).toContain(`PASSWORD=${CANARY}`);
  expect(container?.Config.Env).toContain(`URL=postgres://me:${CANARY}@db/x`);
  expect(container?.Config.Cmd).toContain(`--password=${CANARY}`);
  expect(JSON.stringify(container?.Config.Labels)).not.toContain(CANARY);
  const before = await one.ids();
  await store.put(DB, 'password', `${CANARY}-2`);
  await one.settledFor(1_000);
  expect(await one.ids(), 'another value is no other template').toEqual(before);
  await store.put(DB, 'password', CANARY);

  const runtimes = ['docker', 'local'] as const;
  const steps = await Promise.all(
    runtimes.map((runtime) =>
      Errand.start(stage, { runtime, env: { PASSWORD: REFERENCE }, command: ['sh', '-c', 'test ${#PASSWORD} -eq 22 && echo $PASSWORD'] }),
    ),
  );
  for (const step of steps) expect(await step.ends()).toEqual([{ exitCode: 0, output: REFERENCE }]);
  const failing = await Errand.start(stage, { command: [REFERENCE] });
  const [outcome] = await failing.ends();
  expect(outcome).toMatchObject({ reason: 'CommandNotFound', message: expect.stringContaining(REFERENCE) });

  for (const id of [one.probe.workflowId, ...[...steps, failing].map(({ handle }) => handle.workflowId)]) {
    const history = await historyOf(id);
    expect(history.includes('PASSWORD') || history.includes(REFERENCE), 'the history was really read').toBe(true);
    expect(history.includes(CANARY), `history of ${id}`).toBe(false);
  }
  expect(JSON.stringify(await one.resource())).not.toContain(CANARY);
  expect(agent.said).toMatch(/"msg":"ready"/);
  expect(agent.said).not.toContain(CANARY);
  const server = dirname(inject('temporal').leases);
  expect(filesWith(`${DB}#password`, server), 'what is there is found').not.toEqual([]);
  expect(filesWith(CANARY, server), "Temporal's own files").toEqual([]);
  expect(
    filesWith(CANARY, stage.home).filter((path) => !path.endsWith('.stdout')),
    'what colony keeps of instances',
  ).toEqual([]);
  await one.ends();
}, 120_000);

it('an HTTP step is told a secret on the way, and nobody else is', async () => {
  await store.put(DB, 'password', CANARY);
  const runs = stage.colony.resources('automation.colonies.io/v1', 'WorkflowRun');
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = { headers: { Authorization: `Bearer ${REFERENCE}` }, body: { password: REFERENCE } };
  const steps = [
    { name: 'good', http: { url: `${at}/good?k=${REFERENCE}`, ...http } },
    { name: 'next', http: { url: `${at}/next`, body: '${steps.good.outputs.body.authorization}' } },
    { name: 'bad', http: { url: `${at}/bad?k=${REFERENCE}`, ...http }, dependsOn: ['next'] },
  ];
  await runs.apply({ metadata: { name: 'told' }, spec: { steps } });
  const status = await eventually('the run has failed', async () => {
    const { status: now } = await runs.get('told');
    return now?.phase === 'Failed' ? now : undefined;
  });
  expect(
    heard.map((said) => said.split(CANARY).length - 1),
    'told three times, once by what the answer named, three times',
  ).toEqual([3, 1, 3]);
  expect(status.steps).toMatchObject({
    good: { phase: 'Succeeded', outputs: { body: { url: `/good?k=${REFERENCE}`, authorization: `Bearer ${REFERENCE}` } } },
    bad: { phase: 'Failed', reason: 'HttpStatus', message: expect.stringContaining(REFERENCE) },
  });
  const id = 'workflowruns.automation.colonies.io/default/told';
  const history = await historyOf(id);
  expect(history.includes(REFERENCE), 'the history was really read').toBe(true);
  expect(history.includes(CANARY), 'history').toBe(false);
  const events = await stage.client.workflow.getHandle(id).query('events');
  expect(JSON.stringify([status, events])).not.toContain(CANARY);
  expect(filesWith(CANARY, dirname(inject('temporal').leases)), "Temporal's own files").toEqual([]);
}, 60_000);
