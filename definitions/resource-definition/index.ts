import { isSame } from '../core/diff.ts';
import { compileSchema } from '../core/json-schema/index.ts';
import { defineKind, type Issue, type Kind } from '../core/kind.ts';
import { quote } from '../core/quote.ts';
import { planDefinition } from './plan.ts';
import { type DefinitionSpec, definitionSpec } from './schema.ts';

/**
 * The kind of which the definitions of other kinds are.
 *
 * Which kinds are built in is for the list of kinds to say, and this one is on it: so the question is handed in.
 */
export function resourceDefinition(builtInVersions: (group: string, kind: string) => readonly string[]): Kind<DefinitionSpec> {
  return defineKind<DefinitionSpec>({
    group: 'colonies.io',
    version: 'v1',
    names: {
      kind: 'ResourceDefinition',
      listKind: 'ResourceDefinitionList',
      singular: 'resourcedefinition',
      plural: 'resourcedefinitions',
      shortNames: ['crd', 'rd'],
    },
    scope: 'Cluster',
    description: 'A kind that people define: its names, the schema of its spec, and who handles it',
    spec: definitionSpec,
    admit: (next, view, context) => ({
      issues: [...nameIssues(next, view?.metadata.name ?? context.name), ...fixedIssues(next, view?.spec), ...schemaIssues(next)],
    }),
    plan: (view) => planDefinition(view, builtInVersions(view.spec.group, view.spec.names.kind)),
    columns: [
      { name: 'Group', jsonPath: '.spec.group', type: 'string' },
      { name: 'Version', jsonPath: '.spec.version', type: 'string' },
      { name: 'Kind', jsonPath: '.spec.names.kind', type: 'string' },
      { name: 'Scope', jsonPath: '.spec.scope', type: 'string' },
      { name: 'Handler', jsonPath: '.spec.handler.executorType', type: 'string' },
      { name: 'Function', jsonPath: '.spec.handler.functionName', type: 'string', priority: 1 },
      { name: 'Short-Names', jsonPath: '.spec.names.shortNames', type: 'string', priority: 1 },
      { name: 'Established', jsonPath: '.status.conditions[?(@.type=="Established")].status', type: 'string' },
    ],
    hasCleanUp: true,
  });
}

/** A definition is found by the name that its plural and group make. */
export function nameIssues({ names, group }: DefinitionSpec, name: string | undefined): readonly Issue[] {
  const wanted = `${names.plural}.${group}`;
  return name === undefined || name === wanted
    ? []
    : [{ path: 'metadata.name', message: `must be <plural>.<group>, here ${wanted} (got ${quote(name)})` }];
}

/** What is wrong with the schemas that a definition carries. */
export function schemaIssues({ schema, statusSchema }: Pick<DefinitionSpec, 'schema' | 'statusSchema'>): readonly Issue[] {
  return [compileSchema(schema, 'spec.schema'), compileSchema(statusSchema, 'spec.statusSchema')].flatMap((compiled) =>
    'issues' in compiled ? compiled.issues : [],
  );
}

/** Resources are found by these; they could not follow a change. */
function fixedIssues(next: DefinitionSpec, before: DefinitionSpec | undefined): readonly Issue[] {
  if (!before) return [];
  const fixed = [
    ['spec.group', next.group, before.group],
    ['spec.scope', next.scope, before.scope],
    ['spec.names.kind', next.names.kind, before.names.kind],
    ['spec.names.plural', next.names.plural, before.names.plural],
  ] as const;
  return fixed
    .filter(([, now, was]) => !isSame(now, was))
    .map(([path, now, was]) => ({ path, message: `cannot be changed: it is ${was} (got ${quote(now)}); make a new definition instead` }));
}
