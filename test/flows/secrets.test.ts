import { readdirSync, readFileSync, statSync } from 'node:fs';
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

beforeAll(async () => {
  stage = await Stage.start({ inProcess: 'worker', config: { allowLocal: true } });
  programs = new Programs(stage.namespace);
  const secrets = join(stage.home, 'kept');
  store = new FileStore(secrets);
  agent = await programs.node({ ...stage.env, COLONY_LOG_LEVEL: 'trace', COLONY_SECRETS_DIR: secrets });
  await startErrands(stage);
});

afterAll(async () => {
  await programs?.endAll();
  await stage?.end();
});

/** Every file below a folder that holds the text, but for the store itself. */
function filesWith(text: string, folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => !path.startsWith(join(stage.home, 'kept')) && isFile(path) && readFileSync(path).includes(text));
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
