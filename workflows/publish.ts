import { defineSearchAttributeKey, type SearchAttributePair, type SearchAttributeUpdatePair } from '@temporalio/common';
import { setCurrentDetails, upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import type { StatusPatch } from '../definitions/core/decision.ts';
import type { ChildNews, ChildRef, ChildrenSeen } from '../definitions/core/family.ts';
import { jsonBytes } from '../definitions/core/replayed/bytes.ts';
import { indexedLabels } from '../definitions/core/replayed/indexed-labels.ts';
import { ownerKeyOf } from '../definitions/core/replayed/owner-key.ts';
import type { Condition, JsonObject, Status } from '../definitions/core/resource.ts';
import { fingerprint } from './fingerprint.ts';
import { bumpVersion, type ResourceState } from './state.ts';

const phaseKey = defineSearchAttributeKey('ColonyPhase', 'KEYWORD');
const readyKey = defineSearchAttributeKey('ColonyReady', 'KEYWORD');
const ownerKey = defineSearchAttributeKey('ColonyOwner', 'KEYWORD');
const nodesKey = defineSearchAttributeKey('ColonyNodes', 'KEYWORD_LIST');
const labelsKey = defineSearchAttributeKey('ColonyLabels', 'KEYWORD_LIST');
const changedAtKey = defineSearchAttributeKey('ColonyChangedAt', 'DATETIME');
const versionKey = defineSearchAttributeKey('ColonyVersion', 'INT');
const childrenKey = defineSearchAttributeKey('ColonyChildren', 'INT');

/** The server's limit is 2,048 bytes of one value; PostgreSQL's of a keyword 255 characters. */
const MAX_LABELS_BYTES = 1_800;
const MAX_KEYWORD_CHARS = 250;
const MAX_MEMO_BYTES = 32 * 1024;
/** Definitions are few and are read from their memo by every admission. */
const MAX_DEFINITION_MEMO_BYTES = 160 * 1024;

/** Writes the changed fields into the status; a patch that changes nothing leaves the version alone. */
export function patchStatus(state: ResourceState, patch: StatusPatch, now: number): void {
  const { set, unset, merge } = patch;
  if (Object.keys(set).length === 0 && unset.length === 0 && !merge) return;
  state.status = patched(state.status ?? {}, patch) as Status;
  bumpVersion(state, now);
}

function patched(fields: JsonObject, { set, unset, merge = {} }: StatusPatch): JsonObject {
  const kept = Object.entries(fields).filter(([key]) => !unset.includes(key));
  const merged = Object.entries(merge).map(([key, patch]) => [key, patched(fields[key] as JsonObject, patch)]);
  return { ...Object.fromEntries(kept), ...Object.fromEntries(merged), ...set };
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
  state.published.at = now;
  if (whole) publishMemo(state);
}

/** What visibility shows now, for the next run to begin with: it inherits nothing that was written while this one lived. */
export function handOver(
  state: ResourceState,
  now: number,
): { memo: Record<string, unknown>; typedSearchAttributes: SearchAttributePair[] } {
  const attributes = attributesOf(state).flatMap(([, , pair]) => (isThere(pair) ? [pair] : []));
  return { memo: memoOf(state), typedSearchAttributes: [...attributes, ...stampOf(state, now)] };
}

function publishAttributes(state: ResourceState, now: number): void {
  const { meta, published } = state;
  const changed = attributesOf(state).filter(([name, value]) => published.attributes[name] !== value);
  for (const [name, value] of changed) published.attributes[name] = value;
  published.version = meta.resourceVersion;
  upsertSearchAttributes([...changed.map(([, , pair]) => pair), ...stampOf(state, now)]);
}

const stampOf = ({ meta }: ResourceState, now: number): SearchAttributePair[] => [
  { key: changedAtKey, value: new Date(now) },
  { key: versionKey, value: Number(meta.resourceVersion) },
];

const isThere = (pair: SearchAttributeUpdatePair): pair is SearchAttributePair => pair.value !== null;

/** Name, text to compare by, and what is written; null takes away what was written before. */
function attributesOf(state: ResourceState): [string, string, SearchAttributeUpdatePair][] {
  const { meta, published } = state;
  const owner = meta.ownerReferences.find(({ controller }) => controller) ?? meta.ownerReferences[0];
  const isCurrent = state.status?.observedGeneration === meta.generation;
  const ready = (isCurrent ? conditionOf(state, 'Ready')?.status : undefined) ?? 'Unknown';
  const attributes: [string, string, SearchAttributeUpdatePair][] = [];
  const text = (key: typeof phaseKey, value: string) => attributes.push([key.name, value, { key, value: clip(value) }]);
  text(phaseKey, meta.deletionTimestamp ? 'Deleting' : (state.status?.phase ?? 'Pending'));
  text(readyKey, ready);
  if (owner) text(ownerKey, ownerKeyOf(owner));
  else if (published.attributes[ownerKey.name]) attributes.push([ownerKey.name, '', { key: ownerKey, value: null }]);
  const labels = indexedLabels(meta.labels);
  if (labels.length > 0 || published.attributes[labelsKey.name])
    attributes.push([labelsKey.name, labels.join('\n'), { key: labelsKey, value: labels }]);
  const nodes = nodesOf(state);
  if (nodes.length > 0 || published.attributes[nodesKey.name])
    attributes.push([nodesKey.name, nodes.join('\n'), { key: nodesKey, value: nodes }]);
  const children = familyOf(state).length;
  if (children > 0 || published.attributes[childrenKey.name])
    attributes.push([childrenKey.name, String(children), { key: childrenKey, value: children }]);
  return attributes;
}

/** The children there are, for the sweep that finds missing ones: who has made none itself counts on those that tell it of themselves. */
export function familyOf({ observed }: ResourceState): ChildrenSeen['children'] {
  const made = (observed.children?.value as ChildrenSeen | null | undefined)?.children ?? [];
  return made.length > 0 ? made : toldOf(observed);
}

function toldOf(observed: ResourceState['observed']): readonly ChildRef[] {
  const lanes = Object.keys(observed).filter((lane) => lane.startsWith('child/'));
  return lanes.flatMap((lane) => {
    const news = observed[lane]?.value as ChildNews | null | undefined;
    if (!news || news.gone) return [];
    const { apiVersion, kind, name, uid, id } = news;
    return [{ apiVersion, kind, name, uid, id }];
  });
}

/** The nodes that a kind names in its status, as many as fit: their agents find the resource by it. */
function nodesOf({ status }: ResourceState): string[] {
  const nodes = Array.isArray(status?.nodes) ? status.nodes.filter((node) => typeof node === 'string').map(clip) : [];
  let room = MAX_LABELS_BYTES;
  return nodes.filter((node) => {
    room -= jsonBytes(node) + 1;
    return room >= 0;
  });
}

function publishMemo(state: ResourceState): void {
  const { published } = state;
  if (!state.spec) return;
  const changed = Object.entries(memoOf(state)).filter(([key, value]) => {
    const print = fingerprint(value ?? null);
    if (published.memo[key] === print || (key === 'partial' && value === false && !(key in published.memo))) return false;
    published.memo[key] = print;
    return value !== undefined;
  });
  if (changed.length > 0) upsertMemo(Object.fromEntries(changed));
}

/** The object, or the outline of one that is too large for lists. */
function memoOf({ apiVersion, kind, meta, spec, status }: ResourceState): Record<string, unknown> {
  const whole = { apiVersion, meta, spec, ...(status ? { status } : {}), partial: false };
  const limit = kind === 'ResourceDefinition' ? MAX_DEFINITION_MEMO_BYTES : MAX_MEMO_BYTES;
  return jsonBytes(whole) <= limit ? whole : { apiVersion, meta: { ...meta, annotations: {} }, spec: null, status: null, partial: true };
}

/** A text as databases take it and lists show it: short, and nothing in it that is no character. */
function clip(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: PostgreSQL refuses NUL, terminals obey escape sequences
  const plain = text.slice(0, 2 * MAX_KEYWORD_CHARS).replace(/[\u0000-\u001f\u007f-\u009f\p{Surrogate}]/gu, ' ');
  return [...plain].slice(0, MAX_KEYWORD_CHARS).join('');
}

function conditionOf(state: ResourceState, type: string): Condition | undefined {
  return state.status?.conditions?.find((condition) => condition.type === type);
}

/** The page of a resource in the Temporal UI. */
function details(state: ResourceState): string {
  const { meta, status } = state;
  const rows = (status?.conditions ?? []).map(
    ({ type, status: value, reason, message }) => `| ${type} | ${value} | ${reason} | ${cell(message)} |`,
  );
  const events = state.events
    .slice(-5)
    .map(({ lastSeen, reason, message, count }) => `- \`${lastSeen}\` **${reason}** ${cell(message)}${count > 1 ? ` (${count}×)` : ''}`);
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
