import {
  condition,
  defineUpdate,
  proxyActivities,
  setHandler,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { BareActivities, Wish } from './contract.ts';

const apply = defineUpdate<{ generation: number }, [Wish]>('apply');

const { reconcile, nothing } = proxyActivities<BareActivities>({
  taskQueue: 'bare-executor',
  startToCloseTimeout: '5m',
  scheduleToStartTimeout: '30s',
});

/**
 * The least that an entity workflow can be: takes a wish, calls one activity on another worker's queue, shows the result by the
 * same two upserts as colony. No admission, no record of decisions, no conditions, no conflict check, no deletion, no
 * continue-as-new: what colony costs is measured against this.
 */
export async function entity(): Promise<never> {
  const { runId, startTime } = workflowInfo();
  const meta = { uid: runId, creationTimestamp: startTime.toISOString(), generation: 0, name: '', namespace: '' };
  let spec: Wish['spec'] = {};
  let seen = 0;
  setHandler(apply, (wish) => {
    Object.assign(meta, wish.metadata);
    spec = wish.spec;
    meta.generation += 1;
    return { generation: meta.generation };
  });
  for (;;) {
    await condition(() => seen < meta.generation);
    const { generation } = meta;
    await reconcile({ metadata: meta, spec });
    seen = generation;
    const now = Date.now();
    upsertSearchAttributes({
      ColonyPhase: ['Ready'],
      ColonyReady: ['True'],
      ColonyChangedAt: [new Date(now)],
      ColonyVersion: [now],
    });
    upsertMemo({ meta, spec, status: { phase: 'Ready', observedGeneration: seen } });
  }
}

/** The DAG of bench/suites/flows.ts as one would write it by hand: one step, then many at once, then one that gathers them. */
export async function fan(width: number): Promise<unknown> {
  await nothing({ kwargs: { step: 'first' } });
  const results = await Promise.all(Array.from({ length: width }, (_, index) => nothing({ kwargs: { step: `middle-${index}` } })));
  return nothing({ kwargs: { step: 'last', gathered: results.length } });
}
