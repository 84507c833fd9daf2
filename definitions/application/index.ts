import { parseApiVersion } from '../core/identity.ts';
import { defineKind, type Issue, type Kind } from '../core/kind.ts';
import { identityIssues } from '../core/manifest.ts';
import { commands } from './commands.ts';
import { childNameOf, namesOf } from './component.ts';
import { plan } from './plan.ts';
import { type ApplicationSpec, type ApplicationStatus, applicationSpec, applicationStatus } from './schema.ts';

/** The api versions in which a kind of that name is there. */
type VersionsOf = (kind: string) => readonly string[];

/**
 * A whole system in one manifest: its components come up in order, are wired together, go back and go away in order.
 *
 * Which kinds are built in is for the list of kinds to say, and this one is on it: so the question is handed in.
 */
export const application = (builtInVersionsOf: VersionsOf): Kind<ApplicationSpec, ApplicationStatus> =>
  defineKind({
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
    admit: (spec, view, { name = '' }) => ({
      issues: [...unclearKinds(spec, builtInVersionsOf), ...unfitNames(spec, name, view?.metadata.namespace)],
    }),
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

/** Whoever has such a name for good cannot be told apart, however long one waits. */
function unclearKinds({ components }: ApplicationSpec, versionsOf: VersionsOf): readonly Issue[] {
  return components.flatMap(({ kind, apiVersion }, index) => {
    const versions = apiVersion === undefined ? versionsOf(kind) : [];
    if (versions.length < 2) return [];
    return [
      { path: `spec.components[${index}].apiVersion`, message: `must say which ${kind} is meant: ${[...versions].sort().join(', ')}` },
    ];
  });
}

/** The resource of a component has a name made of two, which may be too long although each is not. */
function unfitNames({ components }: ApplicationSpec, name: string, namespace = 'default'): readonly Issue[] {
  return namesOf(components).flatMap((component, index): readonly Issue[] => {
    const child = childNameOf(name, component);
    const path = `spec.components[${index}].name`;
    if (child.length > MAX_NAME)
      return [{ path, message: `makes a name that is too long: ${MAX_NAME} characters with the application's (has ${child.length})` }];
    const { group = 'x' } = parseApiVersion(components[index]?.apiVersion ?? '') ?? {};
    const [issue] = identityIssues({ plural: 'x', group, namespace, name: child });
    return issue ? [{ path, message: issue.message }] : [];
  });
}
