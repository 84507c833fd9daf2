import { isDnsLabel, isDnsSubdomain } from '../../definitions/core/identity.ts';
import type { KnownKind } from './api.ts';
import { definedKind } from './definitions.ts';
import type { Row } from './row.ts';
import { type Session, TASK_QUEUE } from './session.ts';
import { rows } from './visibility.ts';

const KIND = /^[A-Z][A-Za-z0-9]{0,62}$/;
const ENOUGH = 20;

/**
 * A kind that nobody defines any more although resources of it are left, so that they can still be seen and deleted.
 * Told from their ids; undefined when there are none.
 */
export async function orphanedKind(
  session: Session,
  wanted: { readonly word: string } | { readonly kind: string; readonly group: string | undefined },
): Promise<KnownKind | undefined> {
  const clause = 'word' in wanted ? clauseFor(wanted.word) : clauseForKind(wanted.kind);
  if (!clause) return undefined;
  const left = await rows(session, `TaskQueue = '${TASK_QUEUE}' AND ExecutionStatus = 'Running' AND ${clause}`, ENOUGH, ENOUGH);
  const row = left.find(({ identity, version }) => version !== undefined && (!('group' in wanted) || identity.group === wanted.group));
  return row && kindOfRow(row);
}

function clauseFor(word: string): string | undefined {
  if (KIND.test(word)) return `WorkflowType = '${word}'`;
  const [plural = '', ...group] = word.split('.');
  if (!isDnsLabel(plural) || (group.length > 0 && !isDnsSubdomain(group.join('.')))) return undefined;
  return `WorkflowId STARTS_WITH '${plural}.${group.length > 0 ? `${group.join('.')}/` : ''}'`;
}

const clauseForKind = (kind: string): string | undefined => (KIND.test(kind) ? `WorkflowType = '${kind}'` : undefined);

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
