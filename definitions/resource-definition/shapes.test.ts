import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDefinition, readDefinition } from './shapes.ts';

const names = { kind: 'Widget', plural: 'widgets' };
const handler = { executorType: 'widget-maker', functionName: 'reconcile_widget' };
const spec = { group: 'example.com', version: 'v1', names, scope: 'Namespaced', handler };
const colonyos = { kind: 'ResourceDefinition', metadata: { name: 'widgets.example.com' }, spec };
const withSpec = (more: object) => ({ ...colonyos, spec: { ...spec, ...more } });

const version = {
  name: 'v1',
  served: true,
  storage: true,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { a: { type: 'string' } } }, status: { type: 'object' } },
    },
  },
};
const kubernetes = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: { group: 'example.com', scope: 'Namespaced', names: { ...names, categories: ['all'] }, versions: [version] },
};
const withVersions = (...versions: object[]) => ({ ...kubernetes, spec: { ...kubernetes.spec, versions } });

const read = (input: unknown) => {
  const result = readDefinition(input);
  if ('issues' in result) throw new Error(JSON.stringify(result.issues));
  return result;
};
const paths = (input: unknown) => {
  const result = readDefinition(input);
  return 'issues' in result ? result.issues.map(({ path }) => path) : [];
};

describe('readDefinition, in the shape of ColonyOS', () => {
  it.each([
    { name: 'ResourceDefinition without apiVersion', input: colonyos },
    { name: 'ResourceDefinition', input: { ...colonyos, apiVersion: 'colonies.io/v1' } },
    { name: 'CustomResourceDefinition', input: { ...colonyos, apiVersion: 'colonies.io/v1', kind: 'CustomResourceDefinition' } },
    {
      name: 'an export with ids',
      input: { ...colonyos, resourcedefinitionid: 'abc', metadata: { ...colonyos.metadata, generation: 1, createdAt: 'x' } },
    },
  ])('takes $name', ({ input }) => {
    expect(isDefinition(input)).toBe(true);
    expect(read(input)).toEqual({
      manifest: {
        apiVersion: 'colonies.io/v1',
        kind: 'ResourceDefinition',
        metadata: { name: 'widgets.example.com' },
        spec: {
          ...spec,
          names: { kind: 'Widget', listKind: 'WidgetList', singular: 'widget', plural: 'widgets', shortNames: [] },
          columns: [],
        },
      },
      warnings: [],
    });
  });

  it('reads what it wrote', () => {
    const once = read(colonyos).manifest;
    expect(read(once).manifest).toEqual(once);
    const handlerless = read(kubernetes).manifest;
    expect(read(handlerless).manifest).toEqual(handlerless);
  });

  it('takes null for a kind that nobody handles, and drops an interval of 0', () => {
    expect(read(withSpec({ handler: null })).manifest.spec.handler).toBeNull();
    expect(read(withSpec({ handler: { ...handler, reconcileInterval: 0 } })).manifest.spec.handler).toEqual(handler);
  });

  it('leaves out a namespace and says so', () => {
    const { manifest, warnings } = read({ ...colonyos, metadata: { ...colonyos.metadata, namespace: 'dev' } });
    expect([manifest.metadata, warnings.length]).toEqual([{ name: 'widgets.example.com' }, 1]);
  });

  it.each([
    { rule: 1, name: 'kind', input: { ...colonyos, kind: undefined }, path: 'kind' },
    { rule: 2, name: 'group', input: withSpec({ group: undefined }), path: 'spec.group' },
    { rule: 3, name: 'version', input: withSpec({ version: undefined }), path: 'spec.version' },
    { rule: 4, name: 'names.kind', input: withSpec({ names: { plural: 'widgets' } }), path: 'spec.names.kind' },
    { rule: 5, name: 'names.plural', input: withSpec({ names: { kind: 'Widget' } }), path: 'spec.names.plural' },
    { rule: 6, name: 'scope', input: withSpec({ scope: 'Global' }), path: 'spec.scope' },
    { rule: 7, name: 'handler.executorType', input: withSpec({ handler: { functionName: 'f' } }), path: 'spec.handler.executorType' },
    { rule: 8, name: 'handler.functionName', input: withSpec({ handler: { executorType: 'e' } }), path: 'spec.handler.functionName' },
    { rule: 9, name: 'metadata.name', input: { ...colonyos, metadata: {} }, path: 'metadata.name' },
    { rule: '7, 8', name: 'handler', input: withSpec({ handler: undefined }), path: 'spec.handler' },
  ])('demands $name (rule $rule)', ({ input, path }) => {
    expect(paths(input)).toContain(path);
  });

  it.each([
    { name: 'another apiVersion', input: { ...colonyos, apiVersion: 'colonies.io/v9' }, path: 'apiVersion' },
    { name: 'another kind', input: { ...colonyos, kind: 'Widget' }, path: 'kind' },
    { name: 'a name that is not <plural>.<group>', input: { ...colonyos, metadata: { name: 'widget' } }, path: 'metadata.name' },
    { name: 'a kind that is no word', input: withSpec({ names: { ...names, kind: 'my-widget' } }), path: 'spec.names.kind' },
    { name: 'a plural in capitals', input: withSpec({ names: { ...names, plural: 'Widgets' } }), path: 'spec.names.plural' },
    { name: 'a short name with a dot', input: withSpec({ names: { ...names, shortNames: ['a.b'] } }), path: 'spec.names.shortNames[0]' },
    { name: 'a short name twice', input: withSpec({ names: { ...names, shortNames: ['a', 'a'] } }), path: 'spec.names.shortNames' },
    { name: 'an unknown field', input: withSpec({ scheme: {} }), path: 'spec.scheme' },
    {
      name: 'a negative interval',
      input: withSpec({ handler: { ...handler, reconcileInterval: -1 } }),
      path: 'spec.handler.reconcileInterval',
    },
    {
      name: 'a queue of colony itself',
      input: withSpec({ handler: { ...handler, executorType: 'colony-node-a' } }),
      path: 'spec.handler.executorType',
    },
    {
      name: 'a broken schema',
      input: withSpec({ schema: { properties: { a: { pattern: '(' } } } }),
      path: 'spec.schema.properties.a.pattern',
    },
    { name: 'a broken schema of the status', input: withSpec({ statusSchema: { type: 'strange' } }), path: 'spec.statusSchema.type' },
    { name: 'a column without path', input: withSpec({ columns: [{ name: 'A', type: 'string' }] }), path: 'spec.columns[0].jsonPath' },
    { name: 'no spec', input: { ...colonyos, spec: undefined }, path: 'spec.group' },
  ])('refuses $name', ({ input, path }) => {
    expect(paths(input)).toContain(path);
  });

  it('says all that is wrong at once', () => {
    expect(paths({ kind: 'ResourceDefinition', metadata: { name: 'X' }, spec: { scope: 1 }, y: 1 }).sort()).toEqual([
      'metadata.name',
      'spec.group',
      'spec.handler',
      'spec.names',
      'spec.scope',
      'spec.version',
      'y',
    ]);
  });
});

describe('readDefinition, in the shape of Kubernetes', () => {
  it('takes the schema of the spec, the version and the columns', () => {
    const column = { name: 'A', type: 'string', jsonPath: '.spec.a', description: 'left out', priority: 1 };
    const { manifest, warnings } = read(withVersions({ ...version, additionalPrinterColumns: [column] }));
    expect(warnings).toEqual([]);
    expect(manifest.spec).toMatchObject({
      version: 'v1',
      handler: null,
      schema: { properties: { a: { type: 'string' } } },
      statusSchema: { type: 'object' },
      columns: [{ name: 'A', type: 'string', jsonPath: '.spec.a', priority: 1 }],
    });
  });

  it('knows the shape without apiVersion', () => {
    expect(read({ ...kubernetes, apiVersion: undefined }).manifest.spec.version).toBe('v1');
  });

  it('uses the storage version and says what it leaves out', () => {
    const { manifest, warnings } = read(withVersions({ name: 'v1alpha1', served: true, storage: false }, version));
    expect([manifest.spec.version, warnings]).toEqual(['v1', ['spec.versions: only v1 is used; not served: v1alpha1']]);
  });

  it('warns of rules it cannot enforce, at the place where they stand', () => {
    const schema = {
      openAPIV3Schema: {
        properties: { spec: { properties: { a: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 1' }] } } }, data: {} },
      },
    };
    const { warnings } = read({
      ...withVersions({ ...version, schema }),
      spec: { ...kubernetes.spec, conversion: { strategy: 'Webhook' }, versions: [{ ...version, schema }] },
    });
    expect(warnings.map((line) => line.split(':')[0])).toEqual([
      'spec.conversion',
      'spec.versions[0].schema',
      'spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.a.x-kubernetes-validations[0]',
    ]);
  });

  it.each([
    { name: 'no version', input: withVersions(), path: 'spec.versions' },
    { name: 'two storage versions', input: withVersions(version, { ...version, name: 'v2' }), path: 'spec.versions' },
    {
      name: 'no storage version of several',
      input: withVersions({ ...version, storage: false }, { ...version, name: 'v2', storage: false }),
      path: 'spec.versions',
    },
    { name: 'a version that is not served', input: withVersions({ ...version, served: false }), path: 'spec.versions[0].served' },
    { name: 'an old apiVersion', input: { ...kubernetes, apiVersion: 'apiextensions.k8s.io/v1beta1' }, path: 'apiVersion' },
    {
      name: 'a broken schema, where it stands',
      input: withVersions({ ...version, schema: { openAPIV3Schema: { properties: { spec: { properties: { a: { type: 'x' } } } } } } }),
      path: 'spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.a.type',
    },
    { name: 'a bad version name, where it stands', input: withVersions({ ...version, name: 'V_1' }), path: 'spec.versions[0].name' },
    { name: 'a wrong name', input: { ...kubernetes, metadata: { name: 'x' } }, path: 'metadata.name' },
  ])('refuses $name', ({ input, path }) => {
    expect(paths(input)).toContain(path);
  });
});

describe('readDefinition, for any input', { timeout: 120_000 }, () => {
  it('never throws, and every refusal names a path: 1,000 hostile definitions', () => {
    const anything = fc.anything({ maxDepth: 3, withBigInt: true, withNullPrototype: true });
    const field = fc.constantFrom('group', 'version', 'names', 'scope', 'schema', 'handler', 'columns', 'versions', '__proto__');
    const close = fc
      .tuple(fc.constantFrom(colonyos, kubernetes), fc.dictionary(field, anything), fc.boolean())
      .map(([base, more, isDeep]) => ({
        ...base,
        spec: { ...base.spec, ...(isDeep ? { versions: [{ ...version, ...more }] } : more) },
      }));
    fc.assert(
      fc.property(fc.oneof(anything, close), (input) => {
        const result = readDefinition(input);
        for (const { path, message } of 'issues' in result ? result.issues : []) expect(path !== '' && message !== '').toBe(true);
        expect(isDefinition(input)).toBeTypeOf('boolean');
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('readDefinition, of one with many faults', () => {
  it('says them all at once', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'text' }, b: { type: 'string', pattern: '(a)\\1' }, c: { type: 'integer', default: 'x' } },
    };
    const input = {
      ...withSpec({ schema, statusSchema: { type: 'objekt' }, columns: [{ name: 'A', jsonPath: 'spec.a', type: 'string' }] }),
      metadata: { name: 'gadgets.example.com' },
    };
    expect(paths(input)).toEqual([
      'spec.columns[0].jsonPath',
      'metadata.name',
      'spec.schema.properties.a.type',
      'spec.schema.properties.b.pattern',
      'spec.schema.properties.c.default',
      'spec.statusSchema.type',
    ]);
  });

  it('says each fault once', () => {
    expect(paths(withSpec({ schema: 5, statusSchema: 'x' }))).toEqual(['spec.schema', 'spec.statusSchema']);
    expect(paths({ ...withSpec({ schema: { type: 'text' } }), metadata: 5 })).toEqual(['metadata', 'spec.schema.type']);
  });

  it('does not say what the name must be while that cannot be known', () => {
    expect(paths({ ...colonyos, spec: { ...spec, group: 'Not A Group' } })).toEqual(['spec.group']);
    expect(paths({ ...colonyos, spec: { ...spec, names: { kind: 'Widget', plural: 5 } } })).toEqual(['spec.names.plural']);
    expect(paths({ ...colonyos, metadata: { name: 'Not A Name' } })).toEqual(['metadata.name']);
  });

  it('names every field that an empty one lacks', () => {
    expect(paths({ ...colonyos, metadata: {}, spec: {} })).toEqual([
      'metadata.name',
      'spec.group',
      'spec.version',
      'spec.names',
      'spec.scope',
      'spec.handler',
    ]);
  });
});
