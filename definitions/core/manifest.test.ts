import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from './limits.ts';
import { checkManifest, identityIssues } from './manifest.ts';

const good = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'one', namespace: 'default' }, spec: { a: 1 } };
const withMetadata = (metadata: object) => ({ ...good, metadata: { ...good.metadata, ...metadata } });

const paths = (input: unknown): string[] => {
  const checked = checkManifest(input);
  return 'issues' in checked ? checked.issues.map(({ path }) => path) : [];
};

describe('checkManifest accepts', () => {
  it('a plain manifest, as a copy', () => {
    expect(checkManifest(good)).toEqual({ manifest: good });
  });

  it('what colony and ColonyOS print, without what is not for people to say', () => {
    const printed = {
      ...withMetadata({
        generation: 3,
        creationTimestamp: null,
        createdAt: 'x',
        updatedAt: 'y',
        managedFields: [],
        selfLink: '/x',
        deletionTimestamp: 'z',
        uid: 'u',
        resourceVersion: '12',
      }),
      status: { phase: 'Running' },
      resourceid: 'abc',
      resourcedefinitionid: 'def',
    };
    expect(checkManifest(printed)).toEqual({ manifest: withMetadata({ uid: 'u', resourceVersion: '12' }) });
  });

  it('empty YAML fields as absent', () => {
    const { spec: _spec, ...rest } = good;
    expect(checkManifest({ ...withMetadata({ labels: null, annotations: null, resourceVersion: '' }), spec: null })).toEqual({
      manifest: rest,
    });
  });

  it.each([
    { name: 'labels', metadata: { labels: { app: 'x', 'example.com/Part_1': '', n: 'A.b-c_1' } } },
    {
      name: 'annotations of any text',
      metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"a":\n1}', description: 'è' } },
    },
    {
      name: 'the owner references of ColonyOS, which are an annotation',
      metadata: { annotations: { ownerReferences: '[{"kind":"Application","name":"my-app"}]' } },
    },
    {
      name: 'its own annotations',
      metadata: { annotations: { 'colony.io/paused': 'true', 'colony.io/reconcile': '1', 'colony.io/adopt': 'true' } },
    },
    {
      name: 'owners',
      metadata: {
        ownerReferences: [{ apiVersion: 'a.b/v1', kind: 'App', name: 'x', uid: 'u', controller: true, blockOwnerDeletion: false }],
      },
    },
    { name: 'finalizers', metadata: { finalizers: ['example.com/clean-up', 'colony.io/clean-up'] } },
    { name: 'a name with dots', metadata: { name: 'widgets.example.com' } },
    { name: 'no namespace', metadata: { namespace: undefined } },
  ])('$name', ({ metadata }) => {
    expect(checkManifest(withMetadata(metadata))).toHaveProperty('manifest');
  });

  it('fields with the names that objects have by birth', () => {
    expect(checkManifest({ ...good, spec: JSON.parse('{"constructor":{"a":1},"toString":2}') })).toHaveProperty('manifest');
  });
});

describe('checkManifest refuses', { timeout: 120_000 }, () => {
  it.each([
    { name: 'what is no object', input: 'x', path: 'manifest' },
    { name: 'nothing', input: undefined, path: 'manifest' },
    { name: 'a list', input: [good], path: 'manifest' },
    { name: 'an unknown field', input: { ...good, sepc: {} }, path: 'sepc' },
    { name: 'an unknown field of the metadata', input: withMetadata({ lables: {} }), path: 'metadata.lables' },
    { name: 'an apiVersion without group', input: { ...good, apiVersion: 'v1' }, path: 'apiVersion' },
    { name: 'a group in capitals', input: { ...good, apiVersion: 'Example.com/v1' }, path: 'apiVersion' },
    { name: 'a kind that is no word', input: { ...good, kind: 'my kind' }, path: 'kind' },
    { name: 'no metadata', input: { ...good, metadata: undefined }, path: 'metadata' },
    { name: 'no name', input: { ...good, metadata: {} }, path: 'metadata.name' },
    { name: 'a number as name', input: withMetadata({ name: 5 }), path: 'metadata.name' },
    { name: 'a name with a slash', input: withMetadata({ name: 'a/b' }), path: 'metadata.name' },
    {
      name: 'a name that makes the id too long',
      input: { ...withMetadata({ name: 'n'.repeat(200) }), apiVersion: `${'g'.repeat(60)}/v1` },
      path: 'metadata.name',
    },
    { name: 'a namespace with a dot', input: withMetadata({ namespace: 'a.b' }), path: 'metadata.namespace' },
    { name: 'the namespace of cluster-scoped kinds', input: withMetadata({ namespace: '-' }), path: 'metadata.namespace' },
    { name: 'a label value with a space', input: withMetadata({ labels: { a: 'b c' } }), path: 'metadata.labels.a' },
    { name: 'a label value that is a number', input: withMetadata({ labels: { a: 1 } }), path: 'metadata.labels.a' },
    { name: 'a label name with two slashes', input: withMetadata({ labels: { 'a/b/c': 'x' } }), path: 'metadata.labels["a/b/c"]' },
    { name: 'a reserved label', input: withMetadata({ labels: { 'colony.io/x': 'y' } }), path: 'metadata.labels["colony.io/x"]' },
    {
      name: 'an unknown reserved annotation',
      input: withMetadata({ annotations: { 'colony.io/x': 'y' } }),
      path: 'metadata.annotations["colony.io/x"]',
    },
    {
      name: 'too many labels',
      input: withMetadata({ labels: Object.fromEntries(Array.from({ length: limits.labels + 1 }, (_, n) => [`l${n}`, ''])) }),
      path: 'metadata.labels',
    },
    {
      name: 'too much annotation',
      input: withMetadata({ annotations: { a: 'x'.repeat(limits.annotationsBytes) } }),
      path: 'metadata.annotations',
    },
    {
      name: 'an owner without uid',
      input: withMetadata({ ownerReferences: [{ apiVersion: 'a/v1', kind: 'A', name: 'x' }] }),
      path: 'metadata.ownerReferences[0].uid',
    },
    {
      name: 'two controllers',
      input: withMetadata({
        ownerReferences: [1, 2].map((n) => ({ apiVersion: 'a/v1', kind: 'A', name: 'x', uid: `${n}`, controller: true })),
      }),
      path: 'metadata.ownerReferences',
    },
    { name: 'a finalizer without slash', input: withMetadata({ finalizers: ['x'] }), path: 'metadata.finalizers[0]' },
    {
      name: 'a finalizer of a stranger in our name',
      input: withMetadata({ finalizers: ['colony.io/other'] }),
      path: 'metadata.finalizers[0]',
    },
    { name: 'a resourceVersion that is a number', input: withMetadata({ resourceVersion: 5 }), path: 'metadata.resourceVersion' },
    { name: 'a spec that is a list', input: { ...good, spec: [] }, path: 'spec' },
    { name: 'a __proto__ key', input: { ...good, spec: JSON.parse('{"a":{"__proto__":{}}}') }, path: 'spec.a.__proto__' },
    { name: 'what is too large', input: { ...good, spec: { a: 'x'.repeat(limits.manifestBytes) } }, path: 'manifest' },
  ])('$name', ({ input, path }) => {
    expect(paths(input)).toContain(path);
  });

  it('all that is wrong at once', () => {
    expect(paths({ apiVersion: 1, metadata: { name: 'A', labels: { x: 1 } }, spec: 1, y: 1 }).sort()).toEqual([
      'apiVersion',
      'kind',
      'metadata.labels.x',
      'metadata.name',
      'spec',
      'y',
    ]);
  });

  it.each([
    { name: 'a bad label', input: withMetadata({ labels: { a: 'b c' } }) },
    { name: 'no metadata at all', input: { ...good, metadata: undefined } },
    { name: 'a name that is too long', input: withMetadata({ name: 'n'.repeat(250) }) },
    { name: 'an unknown field', input: { ...good, sepc: {} } },
  ])('$name, and leaves to the kind what it can judge all the same', ({ input }) => {
    expect(checkManifest(input)).toMatchObject({
      issues: [expect.anything()],
      judgeable: { apiVersion: good.apiVersion, kind: 'Widget', spec: { a: 1 } },
    });
  });

  it.each([
    { name: 'a spec that is a list', input: { ...good, spec: [] } },
    { name: 'no spec', input: { ...withMetadata({ name: 'A' }), spec: undefined } },
    { name: 'a kind that is no word', input: { ...good, kind: 'my kind' } },
    { name: 'what is no JSON', input: { ...good, spec: { a: 1n } } },
  ])('$name, and leaves nothing to judge', ({ input }) => {
    expect(checkManifest(input)).toEqual({ issues: [expect.anything()] });
  });

  it('never by throwing, and always with a path: 2,000 hostile manifests', () => {
    const anything = fc.anything({
      maxDepth: 4,
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSparseArray: true,
      withTypedArray: true,
    });
    const field = fc.constantFrom('apiVersion', 'kind', 'metadata', 'spec', 'status', '__proto__', 'constructor');
    const metadataField = fc.constantFrom(
      'name',
      'namespace',
      'labels',
      'annotations',
      'ownerReferences',
      'finalizers',
      'uid',
      'resourceVersion',
      '__proto__',
      'toString',
    );
    const close = fc
      .tuple(fc.dictionary(field, anything), fc.dictionary(metadataField, anything))
      .map(([top, metadata]) => ({ ...good, metadata: { ...good.metadata, ...metadata }, ...top }));
    fc.assert(
      fc.property(fc.oneof(anything, close), (input) => {
        const checked = checkManifest(input);
        if ('manifest' in checked) {
          expect(checkManifest(checked.manifest)).toEqual(checked);
          return;
        }
        expect(checked.issues.length).toBeGreaterThan(0);
        for (const { path, message } of checked.issues) expect(path !== '' && message !== '').toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('identityIssues', () => {
  it('counts the whole id of the workflow', () => {
    const fits = { plural: 'p'.repeat(50), group: 'g'.repeat(50), namespace: 'n'.repeat(50), name: 'x'.repeat(102) };
    expect(identityIssues(fits)).toEqual([]);
    expect(identityIssues({ ...fits, name: `${fits.name}x` })).toMatchObject([{ path: 'metadata.name' }]);
  });
});
