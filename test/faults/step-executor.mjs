// An executor whose one function has an observable effect: a file per idempotency key. Says by files when it has begun and when it is done.
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runExecutor } from '../../dist/executor.mjs';

const { EFFECTS, TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE } = process.env;
/** Long enough for whoever watches to strike. */
const MOMENT_MS = 250;

async function effect({ step, idempotencyKey }) {
  writeFileSync(join(EFFECTS, `began-${step}`), '');
  await pause(MOMENT_MS);
  const file = join(EFFECTS, idempotencyKey.replaceAll('/', '_'));
  if (!existsSync(file)) {
    writeFileSync(file, '');
    appendFileSync(join(EFFECTS, 'log'), `${step}\n`);
  }
  writeFileSync(join(EFFECTS, `done-${step}`), '');
  await pause(MOMENT_MS);
  return { step };
}

const { done } = await runExecutor(
  { executorType: 'hands', steps: { effect } },
  { address: TEMPORAL_ADDRESS, temporalNamespace: TEMPORAL_NAMESPACE },
);
process.send?.('ready');
await done;
