import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cloneRoot } from '../../src/config.ts';
import { openDoor } from '../ours/door.ts';
import { widget, widgetDefinition } from '../ours/widget.ts';
import { timesPeer } from '../report/results.ts';
import { median, summary } from '../report/statistics.ts';
import type { Stage } from '../stage/stage.ts';
import type { Context, Result, Suite } from '../suite.ts';

const ROWS = 20;

/** What a person waits for at the prompt. */
export const suite: Suite = { name: 'cli', run };

async function run({ quick, stage, say }: Context): Promise<readonly Result[]> {
  await stage.start('processes/colony-worker');
  const door = await openDoor(stage);
  await door.apply(widgetDefinition({ handled: false }));
  await Promise.all(Array.from({ length: ROWS }, (_, index) => door.apply(widget(`w-${index}`, 1))));
  const isOurs = `WorkflowType = 'Widget'`;
  while ((await stage.client.workflow.count(`${isOurs} AND ColonyReady = 'True'`)).count < ROWS) await sleep(200);

  const colony: Command = { program: join(cloneRoot(), 'bin', 'colony'), args: ['get', 'widgets'] };
  const temporal: Command = {
    program: stage.binary,
    args: ['workflow', 'list', '--address', stage.address, '--query', isOurs, '--limit', String(ROWS)],
  };
  const taken: { ours: number[]; peer: number[] } = { ours: [], peer: [] };
  for (let index = -2; index < (quick ? 3 : 15); index += 1) {
    for (const [who, command] of [
      ['ours', colony],
      ['peer', temporal],
    ] as const) {
      const ms = await wallTime(stage, command);
      if (index >= 0) taken[who].push(ms); // the first two warm up
    }
  }
  say(`colony get ${summary(taken.ours, 'ms')}, temporal workflow list ${summary(taken.peer, 'ms')}`);
  return [
    timesPeer({
      name: `colony get, ${ROWS} rows`,
      ours: median(taken.ours),
      peer: median(taken.peer),
      of: 'ms',
      max: 2,
      note: `wall time of \`colony get widgets\` and of \`temporal workflow list\`, in turns, medians of ${taken.ours.length}`,
    }),
  ];
}

interface Command {
  readonly program: string;
  readonly args: readonly string[];
}

/** From the start of the process to its end. Fails when it does not show one line for each row and a heading. */
function wallTime(stage: Stage, { program, args }: Command): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    execFile(program, [...args], { env: stage.env, cwd: stage.folder }, (error, stdout, stderr) => {
      const ms = performance.now() - began;
      const lines = stdout.trimEnd().split('\n').length;
      if (error) reject(new Error(`${args.join(' ')} failed: ${stderr || error.message}`));
      else if (lines !== ROWS + 1) reject(new Error(`${args.join(' ')} showed ${lines} lines instead of ${ROWS + 1}:\n${stdout}`));
      else resolve(ms);
    });
  });
}
