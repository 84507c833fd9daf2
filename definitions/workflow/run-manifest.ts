import { annotations } from '../core/annotations.ts';
import { workflowIdOf } from '../core/identity.ts';
import type { Issue } from '../core/kind.ts';
import { listed, quote } from '../core/quote.ts';
import type { JsonObject, Manifest, Resource } from '../core/resource.ts';
import { given as present } from '../replicas/schema.ts';
import { SCHEDULED_AT } from '../workflow-run/run.ts';
import { TOLD } from './runs.ts';
import type { Param, WorkflowSpec } from './schema.ts';

/** What a run is made with. */
export interface RunWish {
  readonly name: string;
  /** As `checkParams` gives them back, or any that fit; what is not given has its default. */
  readonly params?: JsonObject;
  /** ISO; when the schedule wanted it. */
  readonly scheduledAt?: string;
}

/**
 * The manifest of a run of a Workflow: owned by it, with the steps as they are now, so that the live run can be edited.
 *
 * Guarantees: pure; the same Workflow and wish give the same manifest, whoever makes it.
 */
export function runManifestOf(workflow: Resource, { name, params = {}, scheduledAt }: RunWish): Manifest {
  const { apiVersion, kind, metadata } = workflow;
  const spec = workflow.spec as unknown as WorkflowSpec;
  const { steps, onExit, onFailure, failFast, abortRunning, parallelism, timeout, outputs, ttlSecondsAfterFinished } = spec;
  const owner = workflowIdOf({
    plural: 'workflows',
    group: 'automation.colonies.io',
    name: metadata.name,
    ...present({ namespace: metadata.namespace }),
  });
  return {
    apiVersion,
    kind: 'WorkflowRun',
    metadata: {
      name,
      ...present({ namespace: metadata.namespace }),
      labels: metadata.labels,
      annotations: { [annotations.owner]: owner, [annotations.tells]: TOLD.join(' '), ...present({ [SCHEDULED_AT]: scheduledAt }) },
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: present({
      workflow: metadata.name,
      params: { ...defaultsOf(spec.params ?? []), ...params },
      steps,
      onExit,
      onFailure,
      failFast,
      abortRunning,
      parallelism,
      timeout,
      outputs,
      ttlSecondsAfterFinished,
    }),
  };
}

const defaultsOf = (params: readonly Param[]): JsonObject =>
  Object.fromEntries(params.flatMap((param) => (param.default === undefined ? [] : [[param.name, param.default]])));

/** Parameters as a person gives them, texts in the type that is wanted; or all that is wrong with them. */
export function checkParams(
  { params = [] }: Pick<WorkflowSpec, 'params'>,
  given: JsonObject,
): { readonly params: JsonObject } | { readonly issues: readonly Issue[] } {
  const known = params.map(({ name }) => name);
  const issues: Issue[] = Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => ({ path: `params.${name}`, message: `unknown parameter; parameters: ${listed(known) || 'none'}` }));
  const read: Record<string, unknown> = {};
  for (const param of params) {
    const found = Object.hasOwn(given, param.name) ? readParam(param, given[param.name]) : missing(param);
    if (found && 'problem' in found) issues.push({ path: `params.${param.name}`, message: found.problem });
    else if (found) read[param.name] = found.value;
  }
  return issues.length > 0 ? { issues } : { params: read };
}

type Read = { readonly value: unknown } | { readonly problem: string };

const missing = (param: Param): Read | undefined => (param.default === undefined ? { problem: 'is required' } : undefined);

function readParam(param: Param, value: unknown): Read {
  const wanted = param.default ?? param.enum?.[0];
  const typed = wanted === undefined ? { value } : asTypeOf(wanted, value);
  if ('problem' in typed || !param.enum) return typed;
  const isAllowed = param.enum.some((one) => JSON.stringify(one) === JSON.stringify(typed.value));
  return isAllowed ? typed : { problem: `must be one of ${listed(param.enum)} (got ${quote(typed.value)})` };
}

/** A text stands for a number, a boolean, a list or an object where that is wanted. */
function asTypeOf(wanted: unknown, value: unknown): Read {
  if (typeName(value) === typeName(wanted)) return { value };
  const parsed = typeof value === 'string' ? parse(value) : undefined;
  if (parsed !== undefined && typeName(parsed) === typeName(wanted)) return { value: parsed };
  return { problem: `must be ${typeName(wanted)} as its default is (got ${quote(value)})` };
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value === null) return 'null';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
