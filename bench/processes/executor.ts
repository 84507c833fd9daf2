import { readConfig } from '../../src/config.ts';
import { runExecutor } from '../../src/executor/index.ts';
import { serve, tell } from '../inside/serve.ts';

/** Serves `reconcile` and `nothing`, which do nothing, on the queue named in BENCH_QUEUE; tells the bench the name of what was reconciled. */
const config = readConfig();
const executor = await runExecutor(
  {
    executorType: process.env.BENCH_QUEUE ?? '',
    functions: {
      reconcile: async ({ metadata }) => {
        tell(metadata.name);
        return {};
      },
      nothing: async () => ({}),
    },
  },
  { address: config.address ?? '', temporalNamespace: config.temporalNamespace, concurrency: 100 },
);
serve({}, () => {
  executor.stop();
  return executor.done;
});
