import { z } from 'zod';
import { type Identity, workflowIdOf } from './identity.ts';
import { checkWith } from './issues/index.ts';
import { jsonIssues, readJson } from './json.ts';
import type { Issue } from './kind.ts';
import { apiVersion, kindName, manifestMetadata } from './metadata.ts';
import type { Manifest, ManifestMetadata } from './resource.ts';

const MAX_WORKFLOW_ID = 255;
const ignored = z.unknown().optional();

const manifestShape = z.strictObject({
  apiVersion,
  kind: kindName,
  metadata: manifestMetadata,
  spec: z.record(z.string(), z.unknown()).optional(),
  status: ignored,
  resourceid: ignored,
  resourcedefinitionid: ignored,
});

const judgeableShape = manifestShape
  .pick({ apiVersion: true, kind: true })
  .extend({ spec: z.record(z.string(), z.unknown()) })
  .strip();

/** A manifest, or all that is wrong with its shape. */
export type CheckedManifest = { readonly manifest: Manifest } | BadManifest;

export interface BadManifest {
  readonly issues: readonly Issue[];
  /** What its kind can judge all the same, so that a person reads at once what is wrong there too. */
  readonly judgeable?: Judgeable;
}

/** A spec, and the kind that it is meant for. */
export type Judgeable = Required<Pick<Manifest, 'apiVersion' | 'kind' | 'spec'>>;

/**
 * Checks the shape that every manifest has, before it is known what kind it is of, and leaves out what is not for people to
 * say: status, times, the ids of a ColonyOS export.
 *
 * Guarantees: never throws, for no JavaScript value at all; all problems at once; the manifest is a plain copy.
 */
export function checkManifest(input: unknown): CheckedManifest {
  const json = readJson(input);
  if ('problems' in json) return { issues: jsonIssues(json.problems, '') };
  const checked = checkWith(manifestShape, withoutNulls(json.value), '');
  if ('issues' in checked) return { issues: checked.issues.map(named), ...judgeableOf(json.value) };
  const { value } = checked;
  const metadata = metadataOf(value.metadata);
  const manifest: Manifest = { apiVersion: value.apiVersion, kind: value.kind, metadata, ...(value.spec ? { spec: value.spec } : {}) };
  const [group = ''] = value.apiVersion.split('/');
  // The plural is not known yet; no kind has a shorter one than this.
  const issues = identityIssues({
    plural: 'x',
    group,
    name: metadata.name,
    ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
  });
  return issues.length > 0 ? { issues, ...judgeableOf(manifest) } : { manifest };
}

function judgeableOf(value: unknown): Pick<BadManifest, 'judgeable'> {
  const read = judgeableShape.safeParse(value);
  return read.success ? { judgeable: read.data as Judgeable } : {};
}

/** Every refusal names a path, also when it is the whole that is wrong. */
const named = ({ path, message }: Issue): Issue => ({ path: path === '' ? 'manifest' : path, message });

/** What is wrong with the place of a resource once its kind is known: its workflow's id may be too long for the server. */
export function identityIssues(identity: Identity): readonly Issue[] {
  const excess = workflowIdOf(identity).length - MAX_WORKFLOW_ID;
  if (excess <= 0) return [];
  return [
    {
      path: 'metadata.name',
      message: `is too long by ${excess}: plural, group, namespace and name may have ${MAX_WORKFLOW_ID - 3} characters together`,
    },
  ];
}

function metadataOf(given: z.infer<typeof manifestMetadata>): ManifestMetadata {
  const { name, namespace, labels, annotations, ownerReferences, finalizers, resourceVersion, uid } = given;
  return {
    name,
    ...(namespace ? { namespace } : {}),
    ...(labels ? { labels } : {}),
    ...(annotations ? { annotations } : {}),
    ...(ownerReferences ? { ownerReferences: ownerReferences as ManifestMetadata['ownerReferences'] & object } : {}),
    ...(finalizers ? { finalizers } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
    ...(uid ? { uid } : {}),
  };
}

/** An empty `labels:` or `spec:` in YAML is null; it means that there are none. */
function withoutNulls(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { metadata } = value;
  return dropNulls({ ...value, ...(isObject(metadata) ? { metadata: dropNulls(metadata) } : {}) });
}

const dropNulls = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
