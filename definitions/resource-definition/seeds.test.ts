import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { checkWith } from '../core/json-schema/index.ts';
import type { Kind } from '../core/kind.ts';
import { checkManifest } from '../core/manifest.ts';
import type { JsonObject, Manifest } from '../core/resource.ts';
import { findBuiltIn } from '../kinds.ts';
import { kindOf } from './kind-of.ts';
import { isDefinition, readDefinition } from './shapes.ts';

const seeds = new URL('../../test/fixtures/seeds/', import.meta.url);
const documents = (folder: string) =>
  readdirSync(new URL(`${folder}/`, seeds)).map((file) => ({
    file,
    document: parse(readFileSync(new URL(`${folder}/${file}`, seeds), 'utf8')) as unknown,
  }));

const builtInOf = (document: unknown): Kind | undefined => {
  const { apiVersion, kind } = document as Manifest;
  return findBuiltIn(apiVersion, kind);
};

const load = (file: string) => parse(readFileSync(new URL(file, seeds), 'utf8')) as unknown;

describe('the documents this project answers to', () => {
  it.each(documents('definitions'))('the definition $file is accepted', ({ document }) => {
    expect(isDefinition(document)).toBe(true);
    expect(readDefinition(document)).toMatchObject({ warnings: [] });
  });

  it.each(documents('instances'))('the instance $file is a manifest', ({ document }) => {
    expect(checkManifest(document)).toHaveProperty('manifest');
  });

  it.each(documents('instances').filter(({ document }) => builtInOf(document)))(
    '$file is accepted by the built-in kind',
    ({ document }) => {
      const { spec } = document as Manifest;
      const checked = checkWith((builtInOf(document) as Kind).spec, spec, 'spec');
      expect(checked).toMatchObject({ value: spec as JsonObject });
    },
  );

  it('the kinds that colony runs itself are among them', () => {
    const files = documents('instances').filter(({ document }) => builtInOf(document));
    expect(files.map(({ file }) => file)).toEqual(
      expect.arrayContaining([
        'application.elide.yaml',
        'edge-iot-executors.json',
        'ml-training-executors.docker.json',
        'ml-training-executors.kubernetes.json',
        'request-state.yaml',
      ]),
    );
  });

  /** Fields that the documents use and their own definitions do not name: refused, because unknown fields are, unless the kind is built in. */
  it.each([
    { definition: 'executor-deployment.complete-example.json', instance: 'ml-training-executors.docker.json', unnamed: ['spec.config'] },
    { definition: 'executor-deployment.definitions.json', instance: 'edge-iot-executors.json', unnamed: [] },
    { definition: 'executor-deployment.definitions.json', instance: 'ml-training-executors.kubernetes.json', unnamed: [] },
    {
      definition: 'ml-model.json',
      instance: 'sentiment-analyzer.json',
      unnamed: ['spec.servingConfig.preprocessing', 'spec.servingConfig.postprocessing'],
    },
    {
      definition: 'database.json',
      instance: 'user-database.json',
      unnamed: ['spec.monitoring', 'spec.connectionPooling', 'spec.extensions'],
    },
    { definition: 'database.usage.json', instance: 'user-database.json', unnamed: [] },
    { definition: 'workflow.json', instance: 'daily-data-pipeline.json', unnamed: [] },
    { definition: 'request-state.crd.yaml', instance: 'request-state.yaml', unnamed: [] },
    { definition: 'application.elide.crd.yaml', instance: 'application.elide.yaml', unnamed: [] },
    { definition: 'goop.crd.yaml', instance: 'goop.yaml', unnamed: [] },
  ])('$instance fits $definition', ({ definition, instance, unnamed }) => {
    const read = readDefinition(load(`definitions/${definition}`));
    const { spec } = load(`instances/${instance}`) as { spec: unknown };
    if ('issues' in read) throw new Error(JSON.stringify(read.issues));
    const checked = checkWith(kindOf(read.manifest.spec).spec, spec, 'spec');
    expect('issues' in checked ? checked.issues.map(({ path }) => path) : []).toEqual(unnamed);
  });
});
