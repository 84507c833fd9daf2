import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { cloneRoot, readConfig } from '../src/config.ts';
import { findTemporal } from '../src/embedded/find-temporal.ts';
import { type Options, parseOptions, USAGE } from './options.ts';
import { findSuites } from './registry.ts';
import { asJson } from './report/json.ts';
import { describeMachine } from './report/machine.ts';
import type { Outcome } from './report/outcome.ts';
import { writePage } from './report/page.ts';
import { isKept } from './report/results.ts';
import { asTable } from './report/table.ts';
import { Stage } from './stage/stage.ts';
import type { Result, Suite } from './suite.ts';

const say = (sentence: string): void => console.error(`bench: ${sentence}`);

async function main(options: Options): Promise<boolean> {
  const suites = chosen(await findSuites(), options.suites);
  const binary = await findTemporal({ path: process.env.PATH ?? '', cache: readConfig().cache, say });
  const machine = describeMachine(binary);
  if ((loadavg()[0] ?? 0) > 0.5) say(`the machine is busy (load ${loadavg()[0]?.toFixed(2)}): these numbers will be noisy`);
  if (options.quick) say('quick: the results mean nothing');
  const outcomes: Outcome[] = [];
  let failed = false;
  for (const suite of suites) {
    try {
      outcomes.push({ suite: suite.name, results: await perform(suite, binary, options) });
    } catch (error) {
      // The other suites are of use all the same.
      say(`${suite.name} failed: ${(error as Error).stack ?? error}`);
      failed = true;
    }
  }
  const results = outcomes.flatMap(({ results }) => results);
  console.log(options.json ? asJson(outcomes) : asTable(outcomes));
  if (options.write && !failed) {
    const date = new Date().toISOString().slice(0, 10);
    writePage(
      join(cloneRoot(), 'docs', 'performance.md'),
      outcomes.map((outcome) => ({ ...outcome, date, machine })),
    );
  }
  return !failed && results.every(isKept);
}

function chosen(all: readonly Suite[], names: readonly string[]): readonly Suite[] {
  const unknown = names.find((name) => !all.some((suite) => suite.name === name));
  if (unknown) throw new Error(`there is no suite ${unknown}; there are: ${all.map(({ name }) => name).join(', ')}`);
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}

async function perform(suite: Suite, binary: string, { quick, profiles }: Options): Promise<readonly Result[]> {
  say(`${suite.name} …`);
  const began = Date.now();
  const stage = await Stage.open({ binary, ...(profiles === undefined ? {} : { profiles: resolve(profiles) }) });
  const kill = (): void => stage.kill();
  process.once('exit', kill);
  try {
    return await suite.run({ quick, stage, say: (sentence) => say(`${suite.name}: ${sentence}`) });
  } finally {
    process.off('exit', kill);
    await stage.close();
    say(`${suite.name} took ${Math.round((Date.now() - began) / 1000)} s`);
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

try {
  process.exit((await main(parseOptions(process.argv.slice(2)))) ? 0 : 1);
} catch (error) {
  console.error(`bench: ${(error as Error).message}\n\n${USAGE}`);
  process.exit(2);
}
