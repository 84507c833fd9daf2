import { expect, it } from 'vitest';
import type { Condition } from '../../definitions/core/resource.ts';
import { fromIndex } from './read.ts';
import type { Row } from './row.ts';

const ready = (status: Condition['status']): Condition => ({
  type: 'Ready',
  status,
  reason: 'Settled',
  message: '',
  lastTransitionTime: '',
  observedGeneration: 1,
});
const row = (version: number): Row => ({
  workflowId: 'widgets.example.com/default/w1',
  runId: 'r',
  identity: { plural: 'widgets', group: 'example.com', namespace: 'default', name: 'w1' },
  kind: 'Widget',
  open: true,
  completed: false,
  startedAt: 0,
  version,
  phase: 'Progressing',
  ready: 'Unknown',
  labels: [],
  memo: {
    apiVersion: 'example.com/v1',
    meta: {
      name: 'w1',
      uid: 'r',
      resourceVersion: '7',
      generation: 1,
      creationTimestamp: '',
      labels: {},
      annotations: {},
      ownerReferences: [],
      finalizers: [],
    },
    spec: { size: 1 },
    status: { phase: 'Ready', conditions: [ready('True')] },
  },
});

it('shows the published object while it is in force', () => {
  expect(fromIndex(row(7))?.status).toMatchObject({ phase: 'Ready', conditions: [{ type: 'Ready', status: 'True' }] });
});

it('does not call an object ready that is known to have changed since it was published', () => {
  const resource = fromIndex(row(8));
  expect(resource?.spec).toEqual({ size: 1 });
  expect(resource?.status).toMatchObject({ phase: 'Progressing', conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NoWorker' }] });
});
