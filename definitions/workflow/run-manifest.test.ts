import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkWith } from '../core/issues/index.ts';
import { checkManifest } from '../core/manifest.ts';
import type { Resource } from '../core/resource.ts';
import { workflowRunSpec } from '../workflow-run/schema.ts';
import { fn, Stage } from '../workflow-run/test-double/stage.ts';
import { checkParams, runManifestOf } from './run-manifest.ts';

const resource = (spec: Resource['spec']): Resource => ({
  apiVersion: 'automation.colonies.io/v1',
  kind: 'Workflow',
  metadata: {
    name: 'w',
    namespace: 'data',
    uid: 'u',
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '',
    labels: { team: 'x' },
    annotations: { other: 'y' },
    ownerReferences: [],
    finalizers: [],
  },
  spec,
});

describe('runManifestOf', () => {
  const params = [
    { name: 'day', default: 'mon' },
    { name: 'n', default: 1 },
  ];
  const spec = {
    schedule: '0 1 * * *',
    suspend: true,
    params,
    steps: [fn('a')],
    onExit: fn('bye'),
    timeout: '1h',
    successfulRunsHistoryLimit: 3,
  };

  it('makes a run that belongs to its Workflow, with its steps and parameters', () => {
    const manifest = runManifestOf(resource(spec), { name: 'w-1', params: { n: 2 }, scheduledAt: '2025-10-20T01:00:00Z' });
    expect(manifest).toEqual({
      apiVersion: 'automation.colonies.io/v1',
      kind: 'WorkflowRun',
      metadata: {
        name: 'w-1',
        namespace: 'data',
        labels: { team: 'x' },
        annotations: {
          'colony.io/owner': 'workflows.automation.colonies.io/data/w',
          'colony.io/tells': 'status.startedAt status.finishedAt status.completedSteps status.totalSteps status.duration',
          'automation.colonies.io/scheduled-at': '2025-10-20T01:00:00Z',
        },
        ownerReferences: [
          { apiVersion: 'automation.colonies.io/v1', kind: 'Workflow', name: 'w', uid: 'u', controller: true, blockOwnerDeletion: true },
        ],
      },
      spec: { workflow: 'w', params: { day: 'mon', n: 2 }, steps: [fn('a')], onExit: fn('bye'), timeout: '1h' },
    });
    expect(checkManifest(manifest)).toHaveProperty('manifest');
    expect(checkWith(workflowRunSpec, manifest.spec, 'spec')).toEqual({ value: manifest.spec });
  });

  it("runs the document's pipeline from its first step to its last", () => {
    const file = new URL('../../test/fixtures/seeds/instances/daily-data-pipeline.json', import.meta.url);
    const { spec: pipeline } = JSON.parse(readFileSync(file, 'utf8')) as Resource;
    const stage = new Stage(runManifestOf(resource(pipeline), { name: 'w-1' }).spec);
    const order: string[] = [];
    while (stage.flying.length > 0) {
      const [next = ''] = stage.flying;
      order.push(next);
      stage.land(next, {});
    }
    expect(stage.status).toMatchObject({ phase: 'Succeeded', completedSteps: 5, totalSteps: 5 });
    expect(order).toEqual((pipeline.steps as { name: string }[]).map(({ name }) => name));
  });
});

describe('checkParams', () => {
  const declared = {
    params: [
      { name: 'day', enum: ['mon', 'tue'], default: 'mon' },
      { name: 'n', default: 1 },
      { name: 'on', default: true },
      { name: 'list', default: [] },
      { name: 'any' },
    ],
  };

  it('reads texts as what is wanted', () => {
    expect(checkParams(declared, { day: 'tue', n: '5', on: 'false', list: '[1]', any: '7' })).toEqual({
      params: { day: 'tue', n: 5, on: false, list: [1], any: '7' },
    });
    expect(checkParams(declared, { any: 'x', n: 2 })).toEqual({ params: { any: 'x', n: 2 } });
  });

  it('says all that is wrong', () => {
    expect(checkParams(declared, { day: 'sun', n: 'many', color: 'red' })).toEqual({
      issues: [
        { path: 'params.color', message: 'unknown parameter; parameters: day, n, on, list, any' },
        { path: 'params.day', message: 'must be one of mon, tue (got "sun")' },
        { path: 'params.n', message: 'must be a number as its default is (got "many")' },
        { path: 'params.any', message: 'is required' },
      ],
    });
  });
});
