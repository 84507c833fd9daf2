import { parseApiVersion } from '../core/identity.ts';
import { type CallContext, defineKind, type Effect, type Issue } from '../core/kind.ts';
import { identityIssues } from '../core/manifest.ts';
import type { View } from '../core/plan.ts';
import { commands } from './commands.ts';
import { childNameOf, namesOf } from './component.ts';
import { plan } from './plan.ts';
import { type ApplicationSpec, applicationSpec, applicationStatus } from './schema.ts';

/** A whole system in one manifest: its components come up in order, are wired together, go back and go away in order. */
export const application = defineKind({
  group: 'app.colonies.io',
  version: 'v1',
  names: {
    kind: 'Application',
    listKind: 'ApplicationList',
    singular: 'application',
    plural: 'applications',
    shortNames: ['capp'],
  },
  scope: 'Namespaced',
  description: 'A whole system in one manifest: components that come up in order and are wired together',
  spec: applicationSpec,
  status: applicationStatus,
  admit: fittingNames,
  plan,
  commands,
  columns: [
    { name: 'Ready', jsonPath: '.status.readyComponents', type: 'string' },
    { name: 'Phase', jsonPath: '.status.phase', type: 'string' },
    { name: 'Release', jsonPath: '.status.release.phase', type: 'string' },
    { name: 'Stable', jsonPath: '.status.stableGeneration', type: 'integer', priority: 1 },
  ],
  hasCleanUp: true,
});

const MAX_NAME = 253;

/** The resource of a component has a name made of two, which may be too long although each is not. */
function fittingNames(
  { components }: ApplicationSpec,
  view: View<ApplicationSpec> | undefined,
  { name = '' }: CallContext,
): Effect<ApplicationSpec> {
  const issues = namesOf(components).flatMap((component, index): readonly Issue[] => {
    const child = childNameOf(name, component);
    const path = `spec.components[${index}].name`;
    if (child.length > MAX_NAME)
      return [{ path, message: `makes a name that is too long: ${MAX_NAME} characters with the application's (has ${child.length})` }];
    const { group = 'x' } = parseApiVersion(components[index]?.apiVersion ?? '') ?? {};
    const [issue] = identityIssues({ plural: 'x', group, namespace: view?.metadata.namespace ?? 'default', name: child });
    return issue ? [{ path, message: issue.message }] : [];
  });
  return issues.length > 0 ? { issues } : {};
}
