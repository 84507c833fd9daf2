// An executor with one observable effect: a file per idempotency key. Ends itself where it is told to.
import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runExecutor } from '../../dist/executor.mjs';

const { EFFECTS, STRIKE = '', TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE } = process.env;
const [strikeOn, strikeAt] = STRIKE.split(':');
const die = () => process.kill(process.pid, 'SIGKILL');

async function reconcile({ operation, metadata, spec, idempotencyKey }) {
  const isHere = strikeOn === `${operation}${operation === 'reconcile' ? metadata.generation : ''}`;
  const file = join(EFFECTS, idempotencyKey.replaceAll('/', '_'));
  if (isHere && strikeAt === 'before') die();
  if (!existsSync(file)) {
    writeFileSync(file, JSON.stringify({ name: metadata.name, generation: metadata.generation, spec }));
    appendFileSync(join(EFFECTS, 'log'), `${idempotencyKey}\n`);
  }
  if (isHere && strikeAt === 'after') die();
  if (operation === 'finalize') rmSync(join(EFFECTS, `${metadata.uid}_done`), { force: true });
  return { status: { made: spec.color } };
}

const { done } = await runExecutor(
  { executorType: 'makers', functions: { reconcile_widget: reconcile } },
  { address: TEMPORAL_ADDRESS, temporalNamespace: TEMPORAL_NAMESPACE },
);
process.send?.('ready');
await done;
