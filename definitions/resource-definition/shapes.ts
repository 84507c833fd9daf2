import { jsonIssues, readJson } from '../core/json.ts';
import { checkWith, compileSchema } from '../core/json-schema/index.ts';
import type { Issue } from '../core/kind.ts';
import { checkManifest } from '../core/manifest.ts';
import { quote } from '../core/quote.ts';
import type { JsonObject, Manifest } from '../core/resource.ts';
import { nameIssues, schemaIssues } from './index.ts';
import { fromKubernetes, isKubernetes } from './kubernetes.ts';
import { type DefinitionSpec, definitionSpec } from './schema.ts';

/** A definition in the form that is stored, and what of the given one will not be enforced. */
export interface ReadDefinition {
  readonly manifest: Manifest & { readonly spec: DefinitionSpec & JsonObject };
  readonly warnings: readonly string[];
}

const API_VERSION = 'colonies.io/v1';
const KINDS = ['ResourceDefinition', 'CustomResourceDefinition'];

/** True for a document that means to be a definition, in any of the shapes that `readDefinition` reads. */
export function isDefinition(input: unknown): boolean {
  const { kind, apiVersion } = (typeof input === 'object' && input !== null ? input : {}) as { kind?: unknown; apiVersion?: unknown };
  const isOurs =
    apiVersion === undefined || (typeof apiVersion === 'string' && /^(colonies\.io|apiextensions\.k8s\.io)\//.test(apiVersion));
  return typeof kind === 'string' && KINDS.includes(kind) && isOurs;
}

/**
 * Reads a definition as ColonyOS writes it (kind ResourceDefinition or CustomResourceDefinition, with or without
 * apiVersion) or as Kubernetes does (apiextensions.k8s.io/v1), checks all of it and puts it into the form that is stored.
 *
 * Never throws. Paths name places of the document that was given.
 */
export function readDefinition(input: unknown): { readonly issues: readonly Issue[] } | ReadDefinition {
  const json = readJson(input);
  if ('problems' in json) return { issues: jsonIssues(json.problems, '') };
  if (!isObject(json.value)) return { issues: [{ path: 'manifest', message: `must be an object (got ${quote(json.value)})` }] };
  const given = json.value;
  const kindIssues = shapeIssues(given);
  if (kindIssues.length > 0) return { issues: kindIssues };
  const shape = isKubernetes(given) ? fromKubernetes(given) : { spec: given.spec, pathOf: (path: string) => path, warnings: [] };
  if ('issues' in shape) return shape;
  const read = check(given, shape.spec);
  if ('issues' in read) return { issues: read.issues.map(({ path, message }) => ({ path: shape.pathOf(path), message })) };
  return {
    ...read,
    warnings: [...shape.warnings, ...read.warnings.map(({ path, message }) => `${shape.pathOf(path)}: ${message}`)].concat(
      namespaceWarning(given),
    ),
  };
}

function check(
  given: JsonObject,
  spec: unknown,
): { readonly issues: readonly Issue[] } | { readonly manifest: ReadDefinition['manifest']; readonly warnings: readonly Issue[] } {
  const metadata = isObject(given.metadata) ? { ...given.metadata, namespace: undefined } : given.metadata;
  const outer = checkManifest({
    ...given,
    apiVersion: API_VERSION,
    kind: 'ResourceDefinition',
    metadata,
    spec: isObject(spec) ? {} : spec,
  });
  const inner = checkWith(definitionSpec, spec ?? {}, 'spec');
  const shallow = [...('issues' in outer ? outer.issues : []), ...('issues' in inner ? inner.issues : [])];
  const issues = [...shallow, ...deepIssues(given, spec, shallow)];
  if ('issues' in outer || 'issues' in inner || issues.length > 0) return { issues };
  const { value } = inner;
  const compiled = compileSchema(value.schema, 'spec.schema');
  return {
    manifest: { ...outer.manifest, spec: value as DefinitionSpec & JsonObject },
    warnings: 'warnings' in compiled ? compiled.warnings : [],
  };
}

/** What is wrong beyond the shape of the fields, looked for wherever the shape of those it depends on is right. */
function deepIssues({ metadata }: JsonObject, spec: unknown, shallow: readonly Issue[]): readonly Issue[] {
  if (!isObject(spec)) return [];
  const isSound = (path: string): boolean => !shallow.some((issue) => issue.path === path || issue.path.startsWith(`${path}.`));
  const isNamed = isObject(metadata) && ['metadata.name', 'spec.group', 'spec.names'].every(isSound);
  const schemas = Object.entries(spec).filter(([field]) => isSound(`spec.${field}`));
  return [
    ...(isNamed ? nameIssues(spec as unknown as DefinitionSpec, metadata.name as string) : []),
    ...schemaIssues(Object.fromEntries(schemas)),
  ];
}

function shapeIssues({ kind, apiVersion }: JsonObject): readonly Issue[] {
  const issues: Issue[] = [];
  if (typeof kind !== 'string' || !KINDS.includes(kind)) {
    issues.push({
      path: 'kind',
      message: kind === undefined ? `is required: one of ${KINDS.join(', ')}` : `must be one of ${KINDS.join(', ')} (got ${quote(kind)})`,
    });
  }
  const versions = [API_VERSION, 'apiextensions.k8s.io/v1'];
  if (apiVersion !== undefined && !versions.includes(apiVersion as string)) {
    issues.push({ path: 'apiVersion', message: `must be one of ${versions.join(', ')} (got ${quote(apiVersion)})` });
  }
  return issues;
}

function namespaceWarning({ metadata }: JsonObject): readonly string[] {
  return isObject(metadata) && metadata.namespace ? ['metadata.namespace: definitions hold for all namespaces; left out'] : [];
}

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
