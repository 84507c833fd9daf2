import type { Client } from '@temporalio/client';
import { type Identity, parseApiVersion, workflowIdOf } from '../../definitions/core/identity.ts';
import { apiVersionOf, type Kind } from '../../definitions/core/kind.ts';
import type { Metadata } from '../../definitions/core/resource.ts';
import { builtInKinds } from '../../definitions/kinds.ts';
import { kindOf } from '../../definitions/resource-definition/kind-of.ts';
import type { DefinitionSpec } from '../../definitions/resource-definition/schema.ts';
import type { Admitter } from './admit.ts';

/** A change of a definition re-admits its instances, so a look that is this old does no harm. */
const FRESH_MS = 2_000;

/** What is asked for: the id and type of a workflow, the api version it names, and the oldest definition that will do. */
export interface KindQuestion {
  readonly identity: Identity;
  readonly workflowType: string;
  readonly apiVersion?: string | undefined;
  readonly atLeast?: { readonly uid: string; readonly generation: number } | undefined;
  /** Read it now, whatever is remembered. */
  readonly anew?: boolean;
}

/** The kind, or a sentence that says why there is none. */
export type FindKind = (question: KindQuestion) => Promise<Admitter | { readonly unknown: string }>;

interface Entry {
  readonly readAt: number;
  readonly admitter: Promise<Admitter | undefined>;
}

/**
 * Finds the kind a workflow id stands for: built in, or from the memo of its definition's workflow.
 *
 * `describe` needs no worker: asking the definition itself by query or update could deadlock when all workers are deciding.
 */
export function createFindKind(client: Client): FindKind {
  const cache = new Map<string, Entry>();
  const compiled = new Map<string, Admitter>();

  const read = async (definitionName: string): Promise<Admitter | undefined> => {
    const found = await readDefinition(client, definitionName);
    if (!found) return undefined;
    const version = `${found.meta.uid}/${found.meta.generation}`;
    const known = compiled.get(version) ?? admitterOf(kindOf(found.spec), found.meta, found.spec);
    compiled.set(version, known);
    if (compiled.size > 500) compiled.delete(compiled.keys().next().value ?? '');
    return known;
  };

  const lookUp = (definitionName: string): Promise<Admitter | undefined> => {
    const entry = cache.get(definitionName);
    if (entry && Date.now() - entry.readAt < FRESH_MS) return entry.admitter;
    const admitter = read(definitionName);
    cache.set(definitionName, { readAt: Date.now(), admitter });
    admitter.then(
      (value) => value ?? cache.delete(definitionName),
      () => cache.delete(definitionName),
    );
    return admitter;
  };

  const lookUpRecent = async (definitionName: string, atLeast: KindQuestion['atLeast'], anew: boolean): Promise<Admitter | undefined> => {
    if (anew) cache.delete(definitionName);
    const found = await lookUp(definitionName);
    const { uid, generation = 0 } = found?.definition ?? {};
    if (!atLeast || (uid === atLeast.uid && generation >= atLeast.generation)) return found;
    cache.delete(definitionName);
    return lookUp(definitionName);
  };

  return async ({ identity: { plural, group }, workflowType, apiVersion, atLeast, anew = false }) => {
    const ours = builtInKinds.filter((kind) => kind.group === group && kind.names.plural === plural);
    const builtIn = ours.find((kind) => apiVersion === undefined || apiVersionOf(kind) === apiVersion);
    if (ours.length > 0 && !builtIn) return { unknown: wrongVersion(apiVersion, ours) };
    const found = builtIn ? admitterOf(builtIn) : await lookUpRecent(`${plural}.${group}`, atLeast, anew);
    if (!found) return { unknown: `no definition ${plural}.${group} is registered` };
    const { names } = found.kind;
    if (names.kind !== workflowType) return { unknown: `workflow type ${workflowType} does not fit: ${plural}.${group} is ${names.kind}` };
    if (apiVersion !== undefined && apiVersionOf(found.kind) !== apiVersion) return { unknown: wrongVersion(apiVersion, [found.kind]) };
    return found;
  };
}

function wrongVersion(apiVersion: string | undefined, known: readonly Kind[]): string {
  const versions = known.map(apiVersionOf).join(', ');
  const { version } = parseApiVersion(apiVersion ?? '') ?? {};
  return `version ${version ?? apiVersion} is not known; known: ${versions}`;
}

async function readDefinition(client: Client, name: string): Promise<{ meta: Metadata; spec: DefinitionSpec } | undefined> {
  const workflowId = workflowIdOf({ plural: 'resourcedefinitions', group: 'colonies.io', name });
  try {
    const { memo, status } = await client.workflow.getHandle(workflowId).describe();
    const meta = memo?.meta as Metadata | undefined;
    if (status.name !== 'RUNNING' || !memo?.spec || !meta || meta.deletionTimestamp) return undefined;
    return { meta, spec: memo.spec as DefinitionSpec };
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return undefined;
    throw error;
  }
}

function admitterOf(kind: Kind, meta?: Metadata, spec?: DefinitionSpec): Admitter {
  const { group, version, names, scope } = kind;
  return {
    kind,
    definition: {
      group,
      version,
      kind: names.kind,
      plural: names.plural,
      scope,
      ...(meta ? { uid: meta.uid, generation: meta.generation } : {}),
      ...(spec?.handler ? { handler: spec.handler } : {}),
    },
  };
}
