import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Stage } from './stage.ts';
import type { Teller } from './teller.ts';

/** Long enough for the executor to have begun, too short for it to be done. */
const MIDWAY_MS = 1_500;

/** The tour did not go as it should; the message says at which command. */
export class TourBroken extends Error {
  override readonly name = 'TourBroken';
}

/** Leads through the life of one resource. Assumes that the stage is set. */
export async function tour(stage: Stage, teller: Teller): Promise<void> {
  const colony = async (args: readonly string[], { fails = false } = {}): Promise<void> => {
    teller.command(`colony ${args.map(quoted).join(' ')}`);
    const { code, said } = await stage.play(args);
    teller.output(said);
    if ((code !== 0) !== fails) throw new TourBroken(`colony ${args.join(' ')} ended with ${code}`);
    await teller.pause(0.7);
  };
  const look = async (): Promise<void> => {
    const path = join(stage.widgets, 'default', 'first.txt');
    teller.command('tail -n +2 widgets/default/first.txt');
    teller.output(existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(1, 4).join('\n') : 'no such file');
    await teller.pause(0.7);
  };
  const reached = (seconds: number): Promise<void> => colony(['wait', 'widget/first', '--for=condition=Ready', '--timeout', `${seconds}s`]);

  await teller.step(
    'A kind of your own',
    'A definition says what a Widget may be: colour, size, a text; and that the executor "widget-maker" makes it so.',
  );
  await colony(['crd', 'create', '-f', 'examples/01-widget/definition.yaml']);

  await teller.step('Say what should exist', 'Not how. The executor makes a text file of a widget, so that we can see it.');
  await colony(['apply', '-f', 'examples/01-widget/widget.yaml']);
  await reached(20);
  await colony(['get', 'widgets']);
  await look();

  await teller.step('Change your mind', 'The executor is told what changed. A change of the spec is a new generation.');
  await colony(['set', 'widget/first', 'spec.colour=green', 'spec.size=8']);
  await reached(20);
  await look();

  await teller.step('Ask for what cannot be', 'All that is wrong is said at once, each with its path, and nothing is stored.');
  await colony(['set', 'widget/first', 'spec.colour=plaid', 'spec.size=99'], { fails: true });
  await colony(['get', 'widgets']);

  await teller.step('Pull the plug', 'This change takes four seconds to make. In the middle of it both processes are killed with -9.');
  await colony(['set', 'widget/first', 'spec.text=still here', 'spec.seconds=4']);
  await wait(MIDWAY_MS);
  await Promise.all([kill(stage, teller, 'worker'), kill(stage, teller, 'executor')]);
  teller.story('Nobody is at work now. What was wished for is on record, and can be read:');
  await colony(['get', 'widgets']);
  teller.story('Both come back. They know nothing; the workflow knows everything.');
  await Promise.all([stage.startWorker(), stage.startExecutor()]);
  await reached(60);
  await look();
  await colony(['events', 'widget/first']);

  await teller.step('Go back', 'Earlier specs are kept. To go back is a change like any other.');
  await colony(['history', 'widget/first']);
  await colony(['rollback', 'widget/first', '--to', '1']);
  await reached(20);
  await look();

  await teller.step('Delete', 'The executor cleans up first; then the resource is gone, and so is its file.');
  await colony(['delete', 'widget/first']);
  teller.command('ls widgets/default');
  teller.output(readdirSync(join(stage.widgets, 'default')).join('\n') || '(nothing)');
}

async function kill(stage: Stage, teller: Teller, name: 'worker' | 'executor'): Promise<void> {
  const pid = await stage.kill(name);
  teller.command(`kill -9 ${pid}   # the ${name}`);
}

const quoted = (word: string): string => (/^[\w./=:@,+-]+$/.test(word) ? word : `'${word}'`);
