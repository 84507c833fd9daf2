import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import { setCurrentDetails, upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import type { StatusPatch } from '../definitions/core/decision.ts';
import type { Condition, Status } from '../definitions/core/resource.ts';
import { fingerprint } from './canonical.ts';
import { bumpVersion, type ResourceState } from './state.ts';

const phaseKey = defineSearchAttributeKey('ColonyPhase', 'KEYWORD');
const readyKey = defineSearchAttributeKey('ColonyReady', 'KEYWORD');
const ownerKey = defineSearchAttributeKey('ColonyOwner', 'KEYWORD');
const labelsKey = defineSearchAttributeKey('ColonyLabels', 'KEYWORD_LIST');
const changedAtKey = defineSearchAttributeKey('ColonyChangedAt', 'DATETIME');
const versionKey = defineSearchAttributeKey('ColonyVersion', 'INT');

const MAX_ATTRIBUTE_BYTES = 2_000;
const MAX_MEMO_BYTES = 32 * 1024;
/** Definitions are few and are read from their memo by every admission. */
const MAX_DEFINITION_MEMO_BYTES = 160 * 1024;

/** Writes the changed fields into the status; a patch that changes nothing leaves the version alone. */
export function patchStatus(state: ResourceState, { set, unset }: StatusPatch, now: number): void {
  if (Object.keys(set).length === 0 && unset.length === 0) return;
  const kept = Object.entries(state.status ?? {}).filter(([key]) => !unset.includes(key));
  state.status = { ...Object.fromEntries(kept), ...set } as Status;
  bumpVersion(state, now);
}

/**
 * Shows the resource to visibility and to the Temporal UI; writes only what changed.
 *
 * `whole: false` is for the moment between a new spec and the first look at the world: readers learn from the search
 * attributes that there is a newer version and that nothing is known of it yet; the object follows when there is news.
 */
export function publish(state: ResourceState, { whole }: { readonly whole: boolean }, now: number): void {
  setCurrentDetails(details(state));
  if (state.published.version !== state.meta.resourceVersion) publishAttributes(state, now);
  if (whole) publishMemo(state);
}

function publishAttributes(state: ResourceState, now: number): void {
  const { meta, published } = state;
  const owner = meta.ownerReferences.find(({ controller }) => controller) ?? meta.ownerReferences[0];
  const isCurrent = state.status?.observedGeneration === meta.generation;
  const ready = (isCurrent ? conditionOf(state, 'Ready')?.status : undefined) ?? 'Unknown';
  const candidates: [string, string, SearchAttributePair][] = [];
  const text = (key: typeof phaseKey, value: string) => candidates.push([key.name, value, { key, value: clip(value) }]);
  text(phaseKey, meta.deletionTimestamp ? 'Deleting' : (state.status?.phase ?? 'Pending'));
  text(readyKey, ready);
  if (owner) text(ownerKey, `${owner.kind}/${owner.name}/${owner.uid}`);
  const labels = indexedLabels(meta.labels);
  if (labels.length > 0 || published.attributes[labelsKey.name]) candidates.push([labelsKey.name, labels.join('\n'), { key: labelsKey, value: labels }]);
  const changed = candidates.filter(([name, value]) => published.attributes[name] !== value);
  for (const [name, value] of changed) published.attributes[name] = value;
  published.version = meta.resourceVersion;
  upsertSearchAttributes([
    ...changed.map(([, , pair]) => pair),
    { key: changedAtKey, value: new Date(now) },
    { key: versionKey, value: Number(meta.resourceVersion) },
  ]);
}

function publishMemo(state: ResourceState): void {
  const { apiVersion, meta, spec, status, published } = state;
  if (!spec) return;
  const whole: Record<string, unknown> = { apiVersion, meta, spec, status, partial: false };
  const limit = state.kind === 'ResourceDefinition' ? MAX_DEFINITION_MEMO_BYTES : MAX_MEMO_BYTES;
  const isSmall = JSON.stringify(whole).length <= limit;
  const memo = isSmall ? whole : { apiVersion, meta: { ...meta, annotations: {} }, spec: null, status: null, partial: true };
  const changed = Object.entries(memo).filter(([key, value]) => {
    const print = fingerprint(value ?? null);
    if (published.memo[key] === print || (key === 'partial' && value === false && !(key in published.memo))) return false;
    published.memo[key] = print;
    return value !== undefined;
  });
  if (changed.length > 0) upsertMemo(Object.fromEntries(changed));
}

/** Labels as `key=value`; the server ends a workflow whose attribute is too long, so what does not fit is left out. */
function indexedLabels(labels: Readonly<Record<string, string>>): string[] {
  let room = MAX_ATTRIBUTE_BYTES - 200;
  return Object.keys(labels)
    .sort()
    .map((key) => `${key}=${labels[key]}`)
    .filter((label) => {
      room -= label.length + 3;
      return room >= 0;
    });
}

const clip = (text: string): string => (text.length > 250 ? text.slice(0, 250) : text);

function conditionOf(state: ResourceState, type: string): Condition | undefined {
  return state.status?.conditions?.find((condition) => condition.type === type);
}

/** The page of a resource in the Temporal UI. */
function details(state: ResourceState): string {
  const { meta, status } = state;
  const rows = (status?.conditions ?? []).map(
    ({ type, status: value, reason, message }) => `| ${type} | ${value} | ${reason} | ${cell(message)} |`,
  );
  const events = state.events.slice(-5).map(({ lastSeen, reason, message, count }) => `- \`${lastSeen}\` **${reason}** ${cell(message)}${count > 1 ? ` (${count}×)` : ''}`);
  return [
    `**${state.kind} ${meta.name}**${meta.namespace ? ` in ${meta.namespace}` : ''} — ${status?.phase ?? 'Pending'}, generation ${meta.generation} (seen: ${status?.observedGeneration ?? 'none'})`,
    '',
    '| condition | status | reason | message |',
    '|---|---|---|---|',
    ...rows,
    '',
    ...events,
  ].join('\n');
}

const cell = (text: string): string => text.replace(/[|\r\n<>]/g, ' ').slice(0, 200);
