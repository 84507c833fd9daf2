import { NativeConnection } from '@temporalio/worker';
import { readConfig } from '../../src/config.ts';
import { createLog, installRuntime } from '../../src/node/log.ts';
import { createColonyWorker } from '../../src/node/worker.ts';
import { measureMemory } from '../inside/memory.ts';
import { serve } from '../inside/serve.ts';

/** Colony's worker as `colony up` runs it, in a process that can also be asked for its memory. */
const config = readConfig();
installRuntime(createLog(config.logLevel, 'worker'));
const connection = await NativeConnection.connect({ address: config.address ?? '' });
const worker = await createColonyWorker(connection, config);
const ended = worker.run();
serve({ memory: measureMemory }, async () => {
  worker.shutdown();
  await ended;
});
