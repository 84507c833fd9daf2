import { describe, expect, it } from 'vitest';
import { checkWith } from '../core/json-schema/index.ts';
import type { View } from '../core/plan.ts';
import { builtInKinds, findBuiltIn, isBuiltIn } from '../kinds.ts';
import { kindOf } from './kind-of.ts';
import type { DefinitionSpec } from './schema.ts';

const spec: DefinitionSpec = {
  group: 'example.com',
  version: 'v1',
  names: { kind: 'Widget', listKind: 'WidgetList', singular: 'widget', plural: 'widgets', shortNames: ['wd'] },
  scope: 'Namespaced',
  schema: {
    type: 'object',
    required: ['colour'],
    properties: { colour: { type: 'string', 'x-immutable': true }, size: { type: 'integer', default: 1 } },
  },
  handler: { executorType: 'widget-maker', functionName: 'reconcile' },
  columns: [{ name: 'Colour', type: 'string', jsonPath: '.spec.colour' }],
};
const call = { actor: 'me', now: 0 };
const viewOf = <T>(old: T) => ({ spec: old, metadata: { name: 'widgets.example.com' } }) as unknown as View<T>;

describe('kindOf', () => {
  const kind = kindOf(spec);

  it('carries names, scope, columns and whether there is something to clean up', () => {
    expect(kind).toMatchObject({
      group: 'example.com',
      version: 'v1',
      scope: 'Namespaced',
      hasCleanUp: true,
      names: { plural: 'widgets' },
      columns: [{ name: 'Colour' }],
    });
    expect(kindOf({ ...spec, handler: null }).hasCleanUp).toBe(false);
  });

  it('checks by the schema of the definition', () => {
    expect(checkWith(kind.spec, { colour: 'red' }, 'spec')).toEqual({ value: { colour: 'red', size: 1 } });
    expect(checkWith(kind.spec, { size: 'x' }, 'spec')).toHaveProperty('issues.length', 2);
  });

  it('keeps immutable fields', () => {
    const admit = (next: Record<string, unknown>, old?: Record<string, unknown>) =>
      kind.admit?.(next, old && viewOf(old), call)?.issues ?? [];
    expect(admit({ colour: 'blue' })).toEqual([]);
    expect(admit({ colour: 'red', size: 2 }, { colour: 'red', size: 1 })).toEqual([]);
    expect(admit({ colour: 'blue' }, { colour: 'red' })).toMatchObject([{ path: 'spec.colour' }]);
  });

  it('refuses every spec, and does not throw, when a stored schema is broken', () => {
    const broken = kindOf({ ...spec, schema: { type: 'nonsense' } });
    expect(checkWith(broken.spec, {}, 'spec')).toMatchObject({
      issues: [{ path: 'spec', message: expect.stringContaining('schema.type') }],
    });
  });
});

describe('the kind ResourceDefinition', () => {
  const [definition] = builtInKinds;
  const admit = (next: DefinitionSpec, old?: DefinitionSpec, name?: string) =>
    definition
      ?.admit?.(next as never, old && (viewOf(old) as never), { ...call, ...(name ? { name } : {}) })
      ?.issues?.map(({ path }) => path);

  it('is built in, and found by apiVersion and kind', () => {
    expect(findBuiltIn('colonies.io/v1', 'ResourceDefinition')).toBe(definition);
    expect(findBuiltIn('colonies.io/v2', 'ResourceDefinition')).toBeUndefined();
    expect([isBuiltIn('colonies.io', 'ResourceDefinition'), isBuiltIn('example.com', 'ResourceDefinition')]).toEqual([true, false]);
  });

  it('refuses a broken schema and a name that does not fit', () => {
    expect(admit(spec, undefined, 'widgets.example.com')).toEqual([]);
    expect(admit({ ...spec, schema: { properties: { a: { pattern: '(' } } } })).toEqual(['spec.schema.properties.a.pattern']);
    expect(admit(spec, undefined, 'other')).toEqual(['metadata.name']);
  });

  it('keeps what resources are found by', () => {
    const changed = {
      ...spec,
      group: 'other.com',
      scope: 'Cluster' as const,
      version: 'v2',
      names: { ...spec.names, kind: 'Gadget', plural: 'gadgets', shortNames: [] },
    };
    expect(admit({ ...spec, version: 'v2', handler: null }, spec)).toEqual([]);
    expect(admit(changed, spec)).toEqual(['metadata.name', 'spec.group', 'spec.scope', 'spec.names.kind', 'spec.names.plural']);
  });
});
