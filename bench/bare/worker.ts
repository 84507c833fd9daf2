import { join } from 'node:path';
import { NativeConnection, Worker } from '@temporalio/worker';
import { cloneRoot, readConfig } from '../../src/config.ts';
import { createLog, installRuntime } from '../../src/node/log.ts';
import { measureMemory } from '../inside/memory.ts';
import { serve } from '../inside/serve.ts';
import { BARE_QUEUE } from './contract.ts';

const config = readConfig();
installRuntime(createLog(config.logLevel, 'bare'));
const connection = await NativeConnection.connect({ address: config.address ?? '' });
// The same settings as in src/node/worker.ts.
const worker = await Worker.create({
  connection,
  taskQueue: BARE_QUEUE,
  workflowsPath: join(cloneRoot(), 'bench', 'bare', 'workflow.ts'),
  stickyQueueScheduleToStartTimeout: '5s',
  ...(config.maxCachedWorkflows === undefined ? {} : { maxCachedWorkflows: config.maxCachedWorkflows }),
});
const ended = worker.run();
serve({ memory: measureMemory }, async () => {
  worker.shutdown();
  await ended;
});
