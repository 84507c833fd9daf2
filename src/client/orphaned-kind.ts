import { isDnsLabel, workflowIdOf } from '../../definitions/core/identity.ts';
import type { DefinitionSpec } from '../../definitions/resource-definition/schema.ts';
import type { KnownKind } from './api.ts';
import { definedKind } from './definitions.ts';
import { matches } from './match-name.ts';
import type { Row } from './row.ts';
import { type Session, TASK_QUEUE } from './session.ts';
import { rows } from './visibility.ts';

const KIND = /^[A-Z][A-Za-z0-9]{0,62}$/;
const LEFT = `TaskQueue = '${TASK_QUEUE}' AND ExecutionStatus = 'Running' AND ColonyVersion IS NOT NULL`;
/** Rows of one look; each look passes over the kinds that were seen before. */
const ROWS = 20;
/** How often it is looked at most: each look finds another kind. */
const LOOKS = 20;

/**
 * The kinds that a word names and that nobody defines any more although resources of them are left, so that these can still be
 * seen and deleted. Told from the resources' ids and types; short names as long as Temporal remembers the definition.
 */
export async function orphansNamed(session: Session, word: string, known: readonly KnownKind[]): Promise<readonly KnownKind[]> {
  const [name = ''] = word.trim().split('.');
  if (!KIND.test(name) && !isDnsLabel(name.toLowerCase())) return [];
  const isAlike = ({ names }: KnownKind): boolean => [names.kind.toLowerCase(), names.plural].includes(name.toLowerCase());
  const alike = known.filter(isAlike);
  const strange = known.filter((other) => !isAlike(other)).map(({ names }) => `'${names.kind}'`);
  const mayBe = [`WorkflowId STARTS_WITH '${name.toLowerCase()}.'`, `WorkflowType NOT IN (${strange.join(', ')})`];
  const found: KnownKind[] = [];
  for await (const orphan of kindsLeft(session, `(${mayBe.join(' OR ')})`, alike)) found.push(orphan);
  const named = matches(found, word);
  return named.length > 0 ? named : matches(await Promise.all(found.map((orphan) => withShortNames(session, orphan))), word);
}

/** The kind that manifests name so, when nobody defines it any more although resources of it are left. */
export async function orphanOf(session: Session, kind: string, group: string | undefined): Promise<KnownKind | undefined> {
  if (!KIND.test(kind)) return undefined;
  for await (const orphan of kindsLeft(session, `WorkflowType = '${kind}'`, [])) if (orphan.kind.group === group) return orphan;
  return undefined;
}

/** Every kind of the resources that a clause finds, but for those already seen. */
async function* kindsLeft(session: Session, clause: string, seen: readonly KnownKind[]): AsyncGenerator<KnownKind> {
  const passed = new Set(seen.map(({ kind, names }) => `${names.plural}.${kind.group}/`));
  for (let look = 0; look < LOOKS; look++) {
    const others = [...passed].map((prefix) => ` AND WorkflowId NOT STARTS_WITH '${prefix}'`).join('');
    const left = await rows(session, `${LEFT} AND ${clause}${others}`, ROWS, ROWS);
    if (left.length === 0) return;
    for (const row of left) {
      const prefix = `${row.identity.plural}.${row.identity.group}/`;
      if (passed.has(prefix)) continue;
      passed.add(prefix);
      yield kindOfRow(row);
    }
  }
}

/** The orphan with the short names that its definition had last. */
async function withShortNames(session: Session, orphan: KnownKind): Promise<KnownKind> {
  const id = workflowIdOf({ plural: 'resourcedefinitions', group: 'colonies.io', name: `${orphan.names.plural}.${orphan.kind.group}` });
  const [last] = await rows(session, `WorkflowId = '${id}' AND ExecutionStatus != 'Running'`, 1, 1);
  const { names } = (last?.memo?.spec ?? {}) as Partial<DefinitionSpec>;
  return names ? { ...orphan, names: { ...orphan.names, shortNames: names.shortNames } } : orphan;
}

function kindOfRow({ identity, kind, memo }: Row): KnownKind {
  return definedKind({
    group: identity.group,
    version: memo?.apiVersion.split('/')[1] ?? 'unknown',
    names: { kind, listKind: `${kind}List`, singular: kind.toLowerCase(), plural: identity.plural, shortNames: [] },
    scope: identity.namespace === undefined ? 'Cluster' : 'Namespaced',
    handler: null,
    columns: [],
  });
}
