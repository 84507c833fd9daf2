import { describe, expect, it } from 'vitest';
import type { DefinitionSpec } from '../../definitions/resource-definition/schema.ts';
import { builtInWarnings } from './check-definition.ts';

const spec = (kind: string, group: string, plural: string, shortNames: readonly string[] = [], version = 'v1'): DefinitionSpec => ({
  group,
  version,
  names: { kind, listKind: `${kind}List`, singular: kind.toLowerCase(), plural, shortNames },
  scope: 'Namespaced',
  handler: null,
  columns: [],
});

describe('who defines a kind is told', () => {
  it('which of its words mean a built-in kind, and how this one is named', () => {
    expect(builtInWarnings(spec('Workflow', 'argoproj.io', 'workflows', ['awf']))).toEqual([
      expect.stringMatching(/^workflows means Workflow of .*; for this kind say workflows\.argoproj\.io$/),
      expect.stringMatching(/^workflow means Workflow of .*; for this kind say workflows\.argoproj\.io$/),
    ]);
    expect(builtInWarnings(spec('Edition', 'example.com', 'editions', ['ed']))).toEqual([
      'ed means ExecutorDeployment of compute.colonies.io; for this kind say editions.example.com',
    ]);
  });

  it('that colony handles it itself, and in which version where that is another', () => {
    const ours = (version: string) =>
      builtInWarnings(spec('ExecutorDeployment', 'compute.colonies.io', 'executordeployments', [], version));
    expect(ours('v1')).toEqual([
      'colony handles ExecutorDeployment of compute.colonies.io itself; the definition is kept and changes nothing',
    ]);
    expect(ours('v2')).toEqual([
      'colony handles ExecutorDeployment of compute.colonies.io itself, in version v1; the definition is kept and changes nothing',
    ]);
  });

  it('nothing where all its words are its own', () => {
    expect(builtInWarnings(spec('Widget', 'example.com', 'widgets', ['wd']))).toEqual([]);
  });
});
