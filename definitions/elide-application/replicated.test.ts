import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { checkWith } from '../core/issues/index.ts';
import { replicatedOf } from './replicated.ts';
import { type ApplicationSpec, applicationSpec } from './schema.ts';

const seed = new URL('../../test/fixtures/seeds/instances/application.elide.yaml', import.meta.url);
const minimal = { replicas: 1, image: 'nginx:latest' };

function accepted(spec: unknown): ApplicationSpec {
  const checked = checkWith(applicationSpec, spec, 'spec');
  if ('issues' in checked) throw new Error(JSON.stringify(checked.issues));
  return checked.value;
}

function refused(spec: unknown): Record<string, string> {
  const checked = checkWith(applicationSpec, spec, 'spec');
  return 'issues' in checked ? Object.fromEntries(checked.issues.map(({ path, message }) => [path, message])) : {};
}

describe('Application of elide', () => {
  it('accepts the document unchanged and hands its config to the instances', () => {
    const { spec } = parse(readFileSync(seed, 'utf8')) as { spec: unknown };
    expect(accepted(spec)).toEqual(spec);
    expect(replicatedOf(accepted(spec))).toMatchObject({
      replicas: 3,
      strategy: { type: 'RollingUpdate' },
      template: { runtime: 'docker', image: 'myorg/myapp:v1.0.0', env: { key: 'value' } },
    });
  });

  it('takes Recreate at its word', () => {
    expect(replicatedOf(accepted({ ...minimal, strategy: 'Recreate' })).strategy.type).toBe('Recreate');
    expect(accepted(minimal).strategy).toBe('RollingUpdate');
  });

  it('limits what the limits say', () => {
    const resources = { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '500m', memory: '128Mi' } };
    expect(replicatedOf(accepted({ ...minimal, resources })).template.limits).toEqual({ cpus: 0.5, memoryBytes: 128 * 1024 ** 2 });
    expect(replicatedOf(accepted({ ...minimal, resources: { requests: resources.requests } })).template.limits).toEqual({});
  });

  it.each([
    { name: 'nothing', spec: {}, issues: { 'spec.replicas': 'is required', 'spec.image': 'is required' } },
    { name: 'fewer than none', spec: { ...minimal, replicas: -1 }, issues: { 'spec.replicas': 'must be ≥ 0 (got -1)' } },
    { name: 'too many', spec: { ...minimal, replicas: 1_001 }, issues: { 'spec.replicas': 'must be ≤ 1000 (got 1001)' } },
    { name: 'an empty image', spec: { ...minimal, image: '' }, issues: { 'spec.image': 'must not be empty' } },
    {
      name: 'another strategy',
      spec: { ...minimal, strategy: 'BlueGreen' },
      issues: { 'spec.strategy': 'must be one of RollingUpdate, Recreate (got "BlueGreen")' },
    },
    { name: 'a number as config', spec: { ...minimal, config: { a: 1 } }, issues: { 'spec.config.a': 'must be a string (got 1)' } },
    { name: 'an unknown field', spec: { ...minimal, scale: 1 }, issues: { 'spec.scale': expect.stringContaining('unknown field') } },
  ])('refuses $name and says where', ({ spec, issues }) => expect(refused(spec)).toEqual(issues));

  it.each([{ runtime: 'docker' }, { strategy: { type: 'Recreate' } }, { restartPolicy: 'Never' }, { volumes: [] }])(
    'refuses what only an ExecutorDeployment has, as docs/instances.md says: %j',
    (field) => expect(Object.keys(refused({ ...minimal, ...field }))).toEqual(Object.keys(field).map((name) => `spec.${name}`)),
  );

  it('says what to run for every accepted spec, and the same when only scale or strategy change', () => {
    const anySpec = fc.record(
      {
        replicas: fc.nat(1_000),
        image: fc.stringMatching(/^[a-z]{1,9}(:[0-9])?$/),
        config: fc.dictionary(
          fc.stringMatching(/^[A-Z]{1,5}$/),
          fc.string().filter((text) => !text.includes('\u0000')),
        ),
        command: fc.array(fc.stringMatching(/^[a-z]*$/), { maxLength: 3 }),
      },
      { requiredKeys: ['replicas', 'image'] },
    );
    fc.assert(
      fc.property(anySpec, fc.nat(1_000), (spec, replicas) => {
        const { template } = replicatedOf(accepted(spec));
        expect(JSON.parse(JSON.stringify(template))).toEqual(template);
        expect(replicatedOf(accepted({ ...spec, replicas, strategy: 'Recreate' })).template).toEqual(template);
      }),
    );
  });
});
