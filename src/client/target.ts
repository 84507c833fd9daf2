import { type Identity, isDnsLabel, isDnsSubdomain, workflowIdOf } from '../../definitions/core/identity.ts';
import type { Issue, Kind } from '../../definitions/core/kind.ts';
import type { Ref } from './api.ts';
import { InvalidError } from './errors.ts';

/** One resource: where it lives, and how errors name it. */
export interface Target {
  readonly identity: Identity;
  readonly workflowId: string;
  /** `Widget w1 in default`. */
  readonly subject: string;
}

export const DEFAULT_NAMESPACE = 'default';
const MAX_WORKFLOW_ID = 255;

/** Finds the place of a resource by what a caller says. Throws InvalidError for names that no resource can have. */
export function targetOf(kind: Pick<Kind, 'group' | 'names' | 'scope'>, ref: string | Ref): Target {
  const { name, namespace = DEFAULT_NAMESPACE } = typeof ref === 'string' ? { name: ref } : ref;
  const isNamespaced = kind.scope === 'Namespaced';
  const identity: Identity = { plural: kind.names.plural, group: kind.group, name, ...(isNamespaced ? { namespace } : {}) };
  const workflowId = workflowIdOf(identity);
  const issues: Issue[] = [];
  if (!isDnsSubdomain(String(name)))
    issues.push({ path: 'metadata.name', message: `${JSON.stringify(name)} is not a name: lower-case letters, digits, "-" and "."` });
  if (isNamespaced && !isDnsLabel(String(namespace)))
    issues.push({
      path: 'metadata.namespace',
      message: `${JSON.stringify(namespace)} is not a namespace: lower-case letters, digits and "-"`,
    });
  if (workflowId.length > MAX_WORKFLOW_ID)
    issues.push({ path: 'metadata.name', message: `is too long by ${workflowId.length - MAX_WORKFLOW_ID} characters` });
  if (issues.length > 0) throw new InvalidError(issues, `the name of the ${kind.names.kind}`);
  return { identity, workflowId, subject: `${kind.names.kind} ${name}${isNamespaced ? ` in ${namespace}` : ''}` };
}
