import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Program, Programs } from './support/program.ts';
import { temporalBinary } from './support/temporal.ts';

const programs = new Programs('unused');
/** A place of its own for temporary files: another demo may run on this machine. */
const place = mkdtempSync(join(tmpdir(), 'colony-demo-test-'));
afterAll(async () => {
  await programs.endAll();
  rmSync(place, { recursive: true, force: true });
});

/** With a server that is not there in the environment, and a namespace: the tour must use neither. */
const env = {
  TEMPORAL_ADDRESS: '127.0.0.1:1',
  TEMPORAL_NAMESPACE: 'nowhere',
  COLONY_NAMESPACE: 'nowhere',
  COLONY_HOME: '/nowhere',
  TMPDIR: place,
};
const withTemporal = () => ({ ...env, PATH: `${temporalBinary().replace(/\/[^/]*$/, '')}:${process.env.PATH}` });
const homes = (): string[] => readdirSync(place).filter((name) => name.startsWith('colony-demo-'));

it('shows the whole life of a resource, at 80 columns, and leaves nothing behind', async () => {
  const demo = programs.colony(['demo', '--fast'], withTemporal());
  expect(await demo.ended, demo.said).toBe(0);
  const milestones = [
    /widget\.example\.com\/first created/,
    /first +blue +5 +True/,
    /\|hello +\| green/,
    /spec\.colour: must be one of red, green, blue \(got "plaid"\)\n +spec\.size: must be ≤ 20 \(got 99\)/,
    /kill -9 \d+/,
    /first +green +8 +Unknown/,
    /\|still here +\| green/,
    /rolled back to revision 1/,
    /\|hello +\| blue/,
    /widget\.example\.com "first" deleted/,
    /\(nothing\)/,
  ];
  let rest = demo.said;
  for (const milestone of milestones) {
    const match = milestone.exec(rest);
    expect(match, `${milestone} in:\n${rest}`).not.toBeNull();
    rest = rest.slice((match?.index ?? 0) + 1);
  }
  expect(demo.said.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(demo.said).not.toContain('\u001b[');
  expect(homes()).toEqual([]);
  expect(await survivors(demo)).toEqual([]);
}, 120_000);

it('ends and cleans up at Ctrl-C', async () => {
  const demo = programs.colony(['demo'], withTemporal());
  await demo.says(/first created/, 60_000);
  const [home] = homes();
  expect(home).toBeDefined();
  expect(await demo.end('SIGINT')).toBe(130);
  expect(homes()).not.toContain(home);
  expect(await survivors(demo)).toEqual([]);
}, 120_000);

/** Processes that still run on the demo's home; it stands in their environment or arguments. */
async function survivors(demo: Program): Promise<string[]> {
  const ps = new Program('ps', ['axeww'], {});
  await ps.ended;
  expect(demo.isRunning).toBe(false);
  return ps.said.split('\n').filter((line) => line.includes(place));
}
