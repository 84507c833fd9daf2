import { z } from 'zod';
import { checkWith } from '../core/json-schema/index.ts';
import type { Issue } from '../core/kind.ts';
import type { JsonObject } from '../core/resource.ts';

/** What a Kubernetes definition says, in colony's words. */
interface Converted {
  readonly spec: JsonObject;
  /** From a path of the converted spec to the place of the document that was given. */
  readonly pathOf: (path: string) => string;
  readonly warnings: readonly string[];
}

const anything = z.looseObject({});
const version = z.looseObject({
  name: z.string(),
  served: z.boolean().default(true),
  storage: z.boolean().default(false),
  schema: z
    .looseObject({ openAPIV3Schema: z.looseObject({ properties: z.record(z.string(), anything).optional() }).optional() })
    .optional(),
  additionalPrinterColumns: z
    .array(z.looseObject({ name: z.string(), type: z.string(), jsonPath: z.string(), priority: z.int().optional() }))
    .optional(),
});
const kubernetesSpec = z.looseObject({
  names: anything,
  versions: z.array(version).min(1),
  conversion: z.looseObject({ strategy: z.string().optional() }).optional(),
});

type Version = z.infer<typeof version>;

/** True for the shape of apiextensions.k8s.io/v1, also when nobody wrote the apiVersion. */
export function isKubernetes({ apiVersion, spec }: JsonObject): boolean {
  const hasVersions = typeof spec === 'object' && spec !== null && 'versions' in spec;
  return apiVersion === 'apiextensions.k8s.io/v1' || (apiVersion === undefined && hasVersions);
}

/**
 * Turns a CustomResourceDefinition of Kubernetes into the spec of a definition: its storage version, the schema of `spec`
 * in it, its columns. Nobody handles such a kind: its controller talks to the API by itself.
 */
export function fromKubernetes(given: JsonObject): { readonly issues: readonly Issue[] } | Converted {
  const checked = checkWith(kubernetesSpec, given.spec ?? {}, 'spec');
  if ('issues' in checked) return checked;
  const { group, scope, names, versions, conversion } = checked.value;
  const index = versions.length === 1 ? 0 : versions.findIndex(({ storage }) => storage);
  const issue = versionIssue(versions, index);
  if (issue) return { issues: [issue] };
  const chosen = versions[index] as Version;
  const { categories: _categories, ...ownNames } = names;
  const { spec: schema, status: statusSchema, ...others } = chosen.schema?.openAPIV3Schema?.properties ?? {};
  const columns = chosen.additionalPrinterColumns?.map(({ name, type, jsonPath, priority }) => ({
    name,
    type,
    jsonPath,
    ...(priority ? { priority } : {}),
  }));
  return {
    spec: {
      group,
      version: chosen.name,
      names: ownNames,
      scope,
      handler: null,
      ...(schema ? { schema } : {}),
      ...(statusSchema ? { statusSchema } : {}),
      ...(columns ? { columns } : {}),
    },
    pathOf: (path) => originalPath(path, `spec.versions[${index}]`),
    warnings: warningsOf({ versions, index, strategy: conversion?.strategy, fields: Object.keys(others) }),
  };
}

function versionIssue(versions: readonly Version[], index: number): Issue | undefined {
  const stored = versions.filter(({ storage }) => storage).length;
  if (stored > 1 || index < 0)
    return { path: 'spec.versions', message: `must have exactly one version with storage: true (has ${stored})` };
  if (versions[index]?.served === false)
    return { path: `spec.versions[${index}].served`, message: 'must be true: this is the version that would be used' };
  return undefined;
}

interface Leftover {
  readonly versions: readonly Version[];
  readonly index: number;
  readonly strategy: string | undefined;
  readonly fields: readonly string[];
}

function warningsOf({ versions, index, strategy, fields }: Leftover): readonly string[] {
  const unused = versions.filter((_version, at) => at !== index).map(({ name }) => name);
  const strange = fields.filter((name) => !['apiVersion', 'kind', 'metadata'].includes(name));
  return [
    ...(unused.length > 0 ? [`spec.versions: only ${versions[index]?.name} is used; not served: ${unused.join(', ')}`] : []),
    ...(strategy && strategy !== 'None' ? [`spec.conversion: versions are not converted (strategy ${strategy})`] : []),
    ...(strange.length > 0 ? [`spec.versions[${index}].schema: a resource has spec and status only; left out: ${strange.join(', ')}`] : []),
  ];
}

function originalPath(path: string, version: string): string {
  const places = [
    ['spec.schema', `${version}.schema.openAPIV3Schema.properties.spec`],
    ['spec.statusSchema', `${version}.schema.openAPIV3Schema.properties.status`],
    ['spec.columns', `${version}.additionalPrinterColumns`],
    ['spec.version', `${version}.name`],
  ] as const;
  const place = places.find(([ours]) => path === ours || path.startsWith(`${ours}.`) || path.startsWith(`${ours}[`));
  return place ? place[1] + path.slice(place[0].length) : path;
}
