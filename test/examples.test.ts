import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloneRoot } from '../src/config.ts';
import { missing, type PageStep, stepsOf } from './support/page.ts';
import { type Env, type Program, Programs } from './support/program.ts';
import { python } from './support/python.ts';
import { leaseNamespace, temporalBinary } from './support/temporal.ts';

const examples = join(cloneRoot(), 'examples');
const folders = readdirSync(examples, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'colony-examples-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a person has on PATH: the commands that the pages call. */
function path(): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const put = (name: string, command: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\nexec ${command} "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  };
  put('colony', `"${process.execPath}" "${join(cloneRoot(), 'dist', 'cli.mjs')}"`);
  put('temporal', `"${temporalBinary()}"`);
  if (python) put('python3', `"${python}"`);
  return `${bin}:${process.env.PATH}`;
}

async function run(programs: Programs, step: PageStep, env: Env): Promise<void> {
  const program: Program = programs.start(
    'bash',
    ['-c', `set -e\ncd "${cloneRoot()}"\n${step.mode === 'background' ? 'exec ' : ''}${step.commands}`],
    env,
  );
  if (step.mode === 'background') return void (await program.says(/ready|takes/));
  const code = await program.ended;
  if (step.mode === 'fails') expect(code, program.said).not.toBe(0);
  else expect(code, `line ${step.line}:\n${step.commands}\n${program.said}`).toBe(0);
  expect(missing(step.output, program.said), `line ${step.line} said:\n${program.said}`).toEqual([]);
}

describe('examples', () => {
  it('are numbered as a course', () => {
    expect(folders.map((name) => Number(name.slice(0, 2)))).toEqual(folders.map((_, index) => index + 1));
  });

  it.each(folders)(
    '%s does what its page says',
    async (name) => {
      const programs = new Programs(leaseNamespace());
      const things = join(folder, name);
      const machine = {
        COLONY_HOME: join(things, 'home'),
        COLONY_NODE: `node-${name.slice(0, 2)}`,
        COLONY_ALLOW_LOCAL: 'true',
        DOCKER_HOST: process.env.COLONY_TEST_DOCKER_HOST ?? '',
      };
      const env = { ...machine, PATH: path(), WIDGETS_DIR: join(things, 'widgets'), GADGETS_DIR: join(things, 'gadgets'), HOME: folder };
      try {
        await Promise.all([programs.worker({ ...machine, COLONY_FIRST_RETRY_MS: '200' }), programs.node(machine)]);
        const steps = stepsOf(readFileSync(join(examples, name, 'README.md'), 'utf8'));
        expect(steps.length).toBeGreaterThan(2);
        for (const step of steps) await run(programs, step, env);
      } finally {
        await programs.endAll();
      }
    },
    180_000,
  );
});
