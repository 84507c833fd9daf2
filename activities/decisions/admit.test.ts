import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { DecideRequest, Verdict } from '../../definitions/core/decision.ts';
import type { Kind } from '../../definitions/core/kind.ts';
import type { JsonObject } from '../../definitions/core/resource.ts';
import { defaultRollover, defaultTuning } from '../index.ts';
import { createDecide } from './decide.ts';

const widget: Kind = {
  group: 'example.com',
  version: 'v1',
  names: { kind: 'Widget', listKind: 'WidgetList', singular: 'widget', plural: 'widgets', shortNames: [] },
  scope: 'Namespaced',
  spec: z.strictObject({ size: z.int().min(0) }),
  plan: () => ({ steps: [], status: {} }),
  hasCleanUp: false,
};
const definition = { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', scope: 'Namespaced' } as const;
const decide = createDecide({ findKind: async () => ({ kind: widget, definition }), tuning: defaultTuning, rollover: defaultRollover });

/** What the decider makes of an apply to a resource that has these annotations. */
async function judged(body: unknown, annotations: Readonly<Record<string, string>> = {}, spec?: JsonObject): Promise<Verdict | undefined> {
  const metadata = { name: 'w1', namespace: 'default', labels: {}, annotations, ownerReferences: [], finalizers: [] };
  const request: DecideRequest = {
    workflowId: 'widgets.example.com/default/w1',
    workflowType: 'Widget',
    now: 0,
    metadata: { ...metadata, uid: 'u', resourceVersion: '1', generation: 0, creationTimestamp: '2026-01-01T00:00:00Z' },
    ...(spec ? { spec, apiVersion: 'example.com/v1', definition } : {}),
    deleting: false,
    observed: {},
    failing: {},
    nudge: 0,
    mail: [{ type: 'apply', via: 'update', body }],
  };
  return (await decide(request)).verdicts[0];
}

/** The paths that the decider complains of. */
async function refused(body: unknown): Promise<readonly string[]> {
  const verdict = await judged(body);
  return verdict?.verdict === 'refuse' ? (verdict.issues ?? []).map(({ path }) => path) : [];
}

describe('a manifest past the doors', () => {
  it.each([
    { name: 'bad metadata', body: { metadata: { labels: { a: 'b c' } }, spec: { size: -1 } }, paths: ['metadata.labels.a', 'spec.size'] },
    { name: 'the wrong place', body: { metadata: { name: 'w2' }, spec: { size: -1 } }, paths: ['metadata.name', 'spec.size'] },
    { name: 'an unknown field', body: { sepc: {}, spec: { colour: 1 } }, paths: ['sepc', 'spec.size', 'spec.colour'] },
  ])('is refused for $name and for its spec at once', async ({ body, paths }) => {
    expect(await refused(body)).toEqual(paths);
  });

  it('is not measured by a kind that it is not of', async () => {
    expect(await refused({ kind: 'Gadget', spec: { size: -1 } })).toEqual(['kind']);
    expect(await refused({ kind: 'Gadget', metadata: { labels: { a: 'b c' } }, spec: { size: -1 } })).toEqual(['metadata.labels.a']);
  });

  it('without a spec is not told what one would need: the spec in force stays', async () => {
    expect(await refused({ metadata: { labels: { a: 'b c' } } })).toEqual(['metadata.labels.a']);
  });
});

describe('an apply to a resource that was paused', () => {
  const paused = { team: 'shop', 'colony.io/paused': 'true' };
  const change = async (metadata: JsonObject) => {
    const verdict = await judged({ metadata, spec: { size: 1 } }, paused, { size: 1 });
    return verdict?.verdict === 'write' ? verdict.change : verdict;
  };

  it('changes nothing when it is the manifest as before: what it does not mention stays paused', async () => {
    expect(await change({ annotations: { team: 'shop' } })).toEqual({});
    expect(await change({})).toEqual({});
  });

  it('keeps it paused while it changes other annotations', async () => {
    expect(await change({ annotations: { team: 'till' } })).toEqual({ annotations: { team: 'till', 'colony.io/paused': 'true' } });
  });

  it('sets what it names', async () => {
    const annotations = { team: 'shop', 'colony.io/paused': 'false' };
    expect(await change({ annotations })).toEqual({ annotations });
  });

  it('takes it away when it says which version it changes: whoever does has seen what is there', async () => {
    expect(await change({ resourceVersion: '1', annotations: { team: 'shop' } })).toEqual({ annotations: { team: 'shop' } });
  });
});
