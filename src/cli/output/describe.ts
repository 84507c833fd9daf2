import type { Resource, ResourceEvent } from '../../../definitions/core/resource.ts';
import type { PendingWork } from '../../client/api.ts';
import { paint } from '../colour.ts';
import { escapeLine } from '../escape.ts';
import type { Io } from '../io.ts';
import { age } from './age.ts';
import { asOfNow } from './as-of-now.ts';
import { phaseText, readyOf } from './columns.ts';
import { partsOf } from './describe-parts.ts';
import { eventRows, eventTitles } from './events.ts';
import { toYaml } from './objects.ts';
import { pendingText } from './pending.ts';
import { renderTable } from './table.ts';
import { type Circumstances, type Stuck, whyStuck, worthKnowing } from './why-stuck.ts';
import { WIDTH, wrap } from './wrap.ts';

const LABEL_WIDTH = 14;

/** What advice is made of, beside the resource. */
export interface Advising extends Circumstances {
  /** How the person names it. */
  readonly ref: string;
}

/** The page that `colony describe` prints. */
export async function describePage(
  io: Io,
  resource: Resource,
  events: readonly ResourceEvent[],
  pending: readonly PendingWork[],
  advising: Advising,
): Promise<string> {
  const { conditions = [], ...whole } = (await asOfNow(resource, io.now())).status ?? {};
  const parts = await partsOf(io, resource);
  const status = Object.fromEntries(Object.entries(whole).filter(([field]) => !parts.fields.includes(field)));
  return [
    heading(io, resource),
    await section('Spec', resource.spec),
    await section('Status', status),
    parts.text,
    table(
      'Conditions',
      ['TYPE', 'STATUS', 'AGE', 'REASON', 'MESSAGE'],
      conditions.map((one) => [one.type, one.status, age(one.lastTransitionTime, io.now()), one.reason, one.message]),
    ),
    table('Events', eventTitles, eventRows(events, io.now())),
    flights(pending),
    stuck(io, resource, advising),
  ].join('');
}

function heading(io: Io, { apiVersion, kind, metadata, ...resource }: Resource): string {
  const { generation } = metadata;
  const observed = resource.status?.observedGeneration;
  const ready = readyOf({ apiVersion, kind, metadata, ...resource });
  return [
    line('Name', metadata.name),
    metadata.namespace === undefined ? '' : line('Namespace', metadata.namespace),
    line('Kind', `${kind} (${apiVersion})`),
    line('UID', metadata.uid),
    line('Created', `${metadata.creationTimestamp} (${age(metadata.creationTimestamp, io.now())} ago)`),
    metadata.deletionTimestamp
      ? line('Deleting', `since ${metadata.deletionTimestamp} (${age(metadata.deletionTimestamp, io.now())})`)
      : '',
    line('Generation', observed === generation ? String(generation) : `${generation} (reached: ${observed ?? 'none yet'})`),
    line('Phase', phaseText({ apiVersion, kind, metadata, ...resource })),
    line('Ready', ready ? `${ready.status} (${ready.reason})` : 'Unknown'),
    pairs('Labels', metadata.labels),
    pairs('Annotations', metadata.annotations),
    list(
      'Owners',
      (metadata.ownerReferences ?? []).map((owner) => `${owner.kind}/${owner.name}`),
    ),
    list('Finalizers', metadata.finalizers ?? []),
  ].join('');
}

const line = (name: string, value: string): string => `${`${name}:`.padEnd(LABEL_WIDTH)}${escapeLine(value)}\n`;

function list(name: string, values: readonly string[]): string {
  if (values.length === 0) return '';
  const [first = '', ...others] = values;
  return line(name, first) + others.map((value) => `${' '.repeat(LABEL_WIDTH)}${escapeLine(value)}\n`).join('');
}

const pairs = (name: string, values: Readonly<Record<string, string>> | undefined): string =>
  list(
    name,
    Object.entries(values ?? {}).map(([key, value]) => `${key}=${value}`),
  );

async function section(title: string, value: unknown): Promise<string> {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return '';
  const yaml = (await toYaml(value)).trimEnd();
  return `${title}:\n${yaml
    .split('\n')
    .map((text) => (text === '' ? '\n' : `  ${text}\n`))
    .join('')}`;
}

function table(title: string, titles: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0
    ? `${`${title}:`.padEnd(LABEL_WIDTH)}<none>\n`
    : `${title}:\n${renderTable(titles, rows, { indent: '  ', width: WIDTH })}`;
}

/** `In the air: start slots 0-19 on node a: 12 of 20 (starting web-7), 3rd try after: …`. */
function flights(pending: readonly PendingWork[]): string {
  return pending
    .map((work, index) => {
      const name = (index === 0 ? 'In the air:' : '').padEnd(LABEL_WIDTH);
      return `${name}${wrap(escapeLine(pendingText(work)), { indent: LABEL_WIDTH })}\n`;
    })
    .join('');
}

function stuck(io: Io, resource: Resource, { ref, ...circumstances }: Advising): string {
  const isReady = readyOf(resource)?.status === 'True';
  return (
    advice(io, isReady ? 'Worth knowing:' : 'Why it is not ready:', whyStuck(resource, ref, io.now(), circumstances)) +
    advice(io, 'Worth knowing:', worthKnowing(resource, ref))
  );
}

function advice(io: Io, title: string, said: Stuck | undefined): string {
  if (!said) return '';
  const why = wrap(escapeLine(said.why), { indent: 2 });
  const todo = wrap(escapeLine(said.todo), { indent: 2 });
  return `\n${paint(io, 'yellow', title)}\n  ${why}\n${paint(io, 'bold', 'What to do:')}\n  ${todo}\n`;
}
