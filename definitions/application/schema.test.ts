import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { checkWith } from '../core/issues/index.ts';
import type { JsonObject } from '../core/resource.ts';
import { findBuiltIn } from '../kinds.ts';
import { namesOf } from './component.ts';
import { application } from './index.ts';
import { applicationSpec } from './schema.ts';

const refusals = (spec: JsonObject): readonly (readonly [string, string])[] => {
  const checked = checkWith(applicationSpec, spec, 'spec');
  return 'issues' in checked ? checked.issues.map(({ path, message }) => [path, message] as const) : [];
};

const db = { name: 'db', kind: 'Database', spec: {} };
const web = (more: JsonObject): JsonObject => ({ name: 'web', kind: 'WebService', spec: {}, ...more });
const both = (more: JsonObject): JsonObject => ({ params: { size: 1, tier: 'gold' }, components: [db, web(more)] });

describe('the spec of an application', () => {
  it('takes the example of the document as it is', () => {
    const spec = {
      components: [
        { kind: 'Database', spec: {} },
        { kind: 'WebService', spec: {} },
        { kind: 'WorkerPool', spec: {} },
      ],
    };
    expect(refusals(spec)).toEqual([]);
  });

  it('takes the manifest of docs/applications.md', () => {
    const page = readFileSync(new URL('../../docs/applications.md', import.meta.url), 'utf8');
    const [, manifest = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
    expect(refusals((parse(manifest) as { spec: JsonObject }).spec)).toEqual([]);
  });

  it('takes every field', () => {
    const spec = both({
      apiVersion: 'app.example.com/v1',
      labels: { tier: 'front' },
      dependsOn: ['db'],
      when: '${params.size > 0 && has(components.db.status.endpoint)}',
      readyWhen: "self.phase == 'Running' && self.status.workers >= params.size",
      deletionPolicy: 'Orphan',
      spec: {
        env: { URL: 'http://${components.db.status.endpoint}/x', PASSWORD: '${components.db.secret.password}', LITERAL: '$${HOME}' },
        ports: [{ port: '${params.size + 8000}' }],
        host: '${components.db.metadata.name}',
      },
    });
    const more = { outputs: { url: '${components.web.status.url}' }, prune: false, suspend: true, updatePolicy: { onFailure: 'Rollback' } };
    expect(refusals({ ...spec, ...more })).toEqual([]);
  });

  it.each<{ name: string; spec: JsonObject; path: string; message: string }>([
    {
      name: 'a name that is there twice',
      spec: { components: [db, { ...db, kind: 'WebService' }] },
      path: 'spec.components[1].name',
      message: 'is there twice: components[0] is called "db" too',
    },
    {
      name: 'a name that another has by its kind',
      spec: { components: [{ name: 'database', kind: 'WebService' }, { kind: 'Database' }] },
      path: 'spec.components[1]',
      message: 'is there twice: components[0] is called "database" too',
    },
    {
      name: 'an unknown name in dependsOn',
      spec: both({ dependsOn: ['db', 'cache'] }),
      path: 'spec.components[1].dependsOn[1]',
      message: 'unknown component "cache"; known: db, web',
    },
    {
      name: 'an unknown component in a text',
      spec: both({ spec: { env: [{ value: 'a${components.dbb.status.url}' }] } }),
      path: 'spec.components[1].spec.env[0].value',
      message: 'unknown component "dbb"; known: db, web',
    },
    {
      name: 'an unknown param',
      spec: both({ spec: { size: '${params.sice}' } }),
      path: 'spec.components[1].spec.size',
      message: 'unknown param "sice"; known: size, tier',
    },
    {
      name: 'a param where there are none',
      spec: { components: [web({ spec: { size: '${params.size}' } })] },
      path: 'spec.components[0].spec.size',
      message: 'unknown param "size"; known: none',
    },
    {
      name: 'all params at once',
      spec: both({ spec: { all: '${params}' } }),
      path: 'spec.components[1].spec.all',
      message: 'params must be followed by the name of one: params.x',
    },
    {
      name: 'all components at once',
      spec: both({ spec: { all: '${components}' } }),
      path: 'spec.components[1].spec.all',
      message: 'components must be followed by the name of one: components.x.status.y',
    },
    {
      name: 'what a component is made of',
      spec: both({ spec: { size: '${components.db.spec.size}' } }),
      path: 'spec.components[1].spec.size',
      message:
        'components.db.spec.size cannot be referred to; allowed: components.db.status.<field>, components.db.secret.<key>, components.db.metadata.name',
    },
    {
      name: 'a whole status',
      spec: both({ spec: { all: '${components.db.status}' } }),
      path: 'spec.components[1].spec.all',
      message:
        'components.db.status cannot be referred to; allowed: components.db.status.<field>, components.db.secret.<key>, components.db.metadata.name',
    },
    {
      name: 'a secret that is computed with',
      spec: both({ spec: { env: [{ value: 'x ${"pw-" + components.db.secret.password}' }] } }),
      path: 'spec.components[1].spec.env[0].value',
      message:
        'components.db.secret.password is a secret: it may stand alone or inside a text, as ${components.db.secret.password}, but nothing can be computed from it',
    },
    {
      name: 'a secret that is measured',
      spec: { ...both({}), outputs: { length: '${size(components.db.secret.password)}' } },
      path: 'spec.outputs.length',
      message:
        'components.db.secret.password is a secret: it may stand alone or inside a text, as ${components.db.secret.password}, but nothing can be computed from it',
    },
    {
      name: 'a secret that decides',
      spec: both({ when: "components.db.secret.password == 'x'" }),
      path: 'spec.components[1].when',
      message: 'components.db.secret.password is a secret: it cannot decide anything, only be passed on in spec',
    },
    {
      name: 'readyWhen about itself in another way',
      spec: both({ readyWhen: 'self.spec.size > 1' }),
      path: 'spec.components[1].readyWhen',
      message: 'self.spec.size cannot be told; allowed: self.phase, self.status.<field>',
    },
    {
      name: 'a component that needs itself',
      spec: { components: [web({ spec: { url: '${components.web.status.url}' } })] },
      path: 'spec.components[0]',
      message: 'needs itself: web → web',
    },
    {
      name: 'a cycle, by the way that it takes',
      spec: {
        components: [
          { name: 'a', kind: 'A', spec: { x: '${components.b.status.x}' } },
          { name: 'b', kind: 'B', dependsOn: ['c'] },
          { name: 'c', kind: 'C', when: 'components.a.status.x == 1' },
        ],
      },
      path: 'spec.components[0]',
      message: 'needs itself: a → b → c → a',
    },
    {
      name: 'too many components',
      spec: { components: Array.from({ length: 101 }, (_, index) => ({ name: `c${index}`, kind: 'A' })) },
      path: 'spec.components',
      message: 'must have at most 100 items (has 101)',
    },
    {
      name: 'an output of nobody',
      spec: { ...both({}), outputs: { url: '${components.x.status.url}' } },
      path: 'spec.outputs.url',
      message: 'unknown component "x"; known: db, web',
    },
    { name: 'a field that nobody knows', spec: both({ dependson: [] }), path: 'spec.components[1].dependson', message: '' },
    { name: 'a param without value', spec: { params: { x: null }, components: [] }, path: 'spec.params.x', message: 'must have a value' },
    {
      name: 'a deadline of nothing',
      spec: { components: [], updatePolicy: { progressDeadlineSeconds: 0 } },
      path: 'spec.updatePolicy.progressDeadlineSeconds',
      message: 'must be ≥ 1 (got 0)',
    },
  ])('refuses $name', ({ spec, path, message }) => {
    const found = refusals(spec);
    expect(found.map(([where]) => where)).toEqual([path]);
    if (message !== '') expect(found).toEqual([[path, message]]);
  });

  it.each([
    { name: 'when', more: { when: 'params.size >' }, path: 'spec.components[1].when' },
    { name: 'readyWhen', more: { readyWhen: 'components.db.status.x == 1' }, path: 'spec.components[1].readyWhen' },
    { name: 'a text', more: { spec: { a: { b: '${component.db.status.x}' } } }, path: 'spec.components[1].spec.a.b' },
    { name: 'a text without end', more: { spec: { a: '${params.size' } }, path: 'spec.components[1].spec.a' },
  ])('refuses a bad expression in $name, in one sentence', ({ more, path }) => {
    const found = refusals(both(more));
    expect(found.map(([where]) => where)).toEqual([path]);
    expect(found[0]?.[1]).toMatch(/^[^\n]{5,200}$/);
  });

  it('says everything that is wrong at once', () => {
    const spec = both({ dependsOn: ['x'], when: 'params.y', spec: { a: '${params.z}' } });
    expect(refusals(spec).map(([path]) => path)).toEqual([
      'spec.components[1].dependsOn[0]',
      'spec.components[1].when',
      'spec.components[1].spec.a',
    ]);
  });
});

describe('names of components', () => {
  it('are the kind in small letters, counted by their place among the same kind', () => {
    const kinds = [
      { kind: 'Database' },
      { kind: 'WebService' },
      { kind: 'Database' },
      { name: 'x', kind: 'Database' },
      { kind: 'Database' },
    ];
    expect(namesOf(kinds)).toEqual(['database', 'webservice', 'database-2', 'x', 'database-4']);
  });

  it('may be too long only together with that of the application', () => {
    const spec = applicationSpec.parse({ components: [{ name: 'b'.repeat(63), kind: 'A' }] });
    const issuesFor = (name: string) => application(() => []).admit?.(spec, undefined, { actor: 'test', now: 0, name }).issues ?? [];
    expect(issuesFor('a'.repeat(150))).toEqual([]);
    expect(issuesFor('a'.repeat(200))).toEqual([
      { path: 'spec.components[0].name', message: "makes a name that is too long: 253 characters with the application's (has 264)" },
    ]);
    expect(issuesFor('a'.repeat(185)).map(({ path }) => path)).toEqual(['spec.components[0].name']);
  });
});

describe('kinds of components', () => {
  const issuesOf = (components: readonly JsonObject[]) => {
    const spec = applicationSpec.parse({ components }) as unknown as JsonObject;
    return findBuiltIn('app.colonies.io/v1', 'Application')?.admit?.(spec, undefined, { actor: 'test', now: 0, name: 'shop' }).issues ?? [];
  };

  it('are refused without apiVersion where several built-in kinds have the name, because waiting does not help', () => {
    expect(issuesOf([{ kind: 'Widget' }, { kind: 'Application' }])).toEqual([
      {
        path: 'spec.components[1].apiVersion',
        message: 'must say which Application is meant: app.colonies.io/v1, cloudnative.elide.dev/v1',
      },
    ]);
  });

  it('are taken with apiVersion, or where only one built-in kind has the name', () => {
    const inner = { spec: { components: [] } };
    expect(issuesOf([{ kind: 'Application', apiVersion: 'app.colonies.io/v1', ...inner }, { kind: 'ExecutorDeployment' }])).toEqual([]);
  });
});
