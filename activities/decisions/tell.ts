import { annotations } from '../../definitions/core/annotations.ts';
import type { Tell } from '../../definitions/core/decision.ts';
import { digestOf } from '../../definitions/core/digest.ts';
import type { ChildNews } from '../../definitions/core/family.ts';
import { identityOf } from '../../definitions/core/identity.ts';
import { jsonBytes } from '../../definitions/core/json.ts';
import type { View } from '../../definitions/core/plan.ts';
import type { Condition, JsonObject } from '../../definitions/core/resource.ts';
import { toldFields } from '../../definitions/core/told-path.ts';
import { isObject } from './refusal.ts';

const MAX_VALUES_BYTES = 16 * 1024;

type Shown = JsonObject & { readonly conditions: readonly Condition[] };

/** What the owner should hear now: nothing when it has heard it, or when there is no owner that listens. */
export function tellOf(view: View, id: string, status: Shown, isGone: boolean, told: string | undefined): Tell | undefined {
  const to = view.metadata.annotations[annotations.owner];
  const owner = view.metadata.ownerReferences.find(({ controller }) => controller);
  if (!to || !owner || !identityOf(to)) return undefined;
  const news = newsOf(view, id, status, isGone);
  if (told === undefined && isSilent(news)) return undefined;
  const { resourceVersion: _version, ...heard } = news;
  const fingerprint = digestOf([to, owner.uid, heard]);
  return fingerprint === told ? undefined : { to, news, fingerprint };
}

/** That it was made its owner knows, who made it. */
const isSilent = ({ ready, reason, deleting }: ChildNews): boolean => ready === 'Unknown' && reason === 'Reconciling' && !deleting;

function newsOf(view: View, id: string, status: Shown, isGone: boolean): ChildNews {
  const { metadata, apiVersion, kind, now } = view;
  const { generation, uid, name } = metadata;
  const isReached = status.observedGeneration === generation;
  const ready = status.conditions.find(({ type }) => type === 'Ready');
  const values = valuesOf({ status, metadata: { name } }, metadata.annotations[annotations.tells]);
  return {
    id,
    uid,
    apiVersion,
    kind,
    name,
    // The version that this very change will get is made by the workflow; its clock is what orders them.
    resourceVersion: String(Math.max(Number(metadata.resourceVersion) + 1, now * 1000)),
    generation,
    ...(isReached ? { observedGeneration: generation } : {}),
    phase: String(status.phase),
    ready: isReached ? (ready?.status ?? 'Unknown') : 'Unknown',
    reason: ready?.reason ?? 'Unknown',
    message: ready?.message ?? '',
    ...(values ? { values } : {}),
    ...(view.deleting ? { deleting: true as const } : {}),
    ...(isGone ? { gone: true as const } : {}),
  };
}

/** The values that the owner asked for; one that is too large for news is left out. */
function valuesOf(object: JsonObject, paths: string | undefined): JsonObject | undefined {
  if (!paths) return undefined;
  let room = MAX_VALUES_BYTES;
  const found = paths
    .split(/\s+/)
    .filter((path) => path !== '')
    .map((path) => [path, at(object, toldFields(path))] as const)
    .filter(([, value]) => {
      if (value === undefined || value === null) return false;
      room -= jsonBytes(value);
      return room >= 0;
    });
  return Object.fromEntries(found);
}

function at(value: unknown, [first, ...rest]: readonly string[]): unknown {
  if (first === undefined) return value;
  if (!isObject(value) || !Object.hasOwn(value, first)) return undefined;
  return at(value[first], rest);
}
