import type { DefinitionSpec } from '../../definitions/resource-definition/schema.ts';
import { existing } from './queries.ts';
import type { Session } from './session.ts';
import { count } from './visibility.ts';

/** How many resources of a definition there are, in words; undefined when there are none, or when colony handles their kind itself. */
export async function instancesOf(session: Session, { names, group }: DefinitionSpec): Promise<string | undefined> {
  const instances = await count(session, existing({ kind: { kind: names.kind, plural: names.plural, group } }));
  if (instances === 0 || (await isHandledByColony(group, names.kind))) return undefined;
  const [are, of] = instances === 1 ? ['is', 'resource'] : ['are', 'resources'];
  return `there ${are} ${instances} ${of} of kind ${names.kind}`;
}

/** A definition of a built-in kind changes nothing, nor does its end. */
async function isHandledByColony(group: string, kind: string): Promise<boolean> {
  const { isBuiltIn } = await import('../../definitions/kinds.ts');
  return isBuiltIn(group, kind);
}
