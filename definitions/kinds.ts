import { application } from './application/index.ts';
import { apiVersionOf, type Kind } from './core/kind.ts';
import { elideApplication } from './elide-application/index.ts';
import { executorDeployment } from './executor-deployment/index.ts';
import { requestState } from './request-state/index.ts';
import { resourceDefinition } from './resource-definition/index.ts';
import { stepCache } from './step-cache/index.ts';
import { workflow } from './workflow/index.ts';
import { workflowRun } from './workflow-run/index.ts';

/** The kinds that colony itself handles. The only place where a kind is registered: one line each. */
export const builtInKinds: readonly Kind[] = [
  asKind(resourceDefinition(versionsOf)), //
  asKind(requestState),
  asKind(executorDeployment),
  asKind(elideApplication),
  asKind(application(builtInVersionsOf)),
  asKind(workflow),
  asKind(workflowRun),
  asKind(stepCache),
];

/** The built-in kind of that name, if there is one. */
export function findBuiltIn(apiVersion: string, kind: string): Kind | undefined {
  return builtInKinds.find((one) => apiVersionOf(one) === apiVersion && one.names.kind === kind);
}

/** Whether colony handles a kind of that name itself, in whatever version. */
export function isBuiltIn(group: string, kind: string): boolean {
  return versionsOf(group, kind).length > 0;
}

/** The versions in which colony handles a kind itself. */
export function versionsOf(group: string, kind: string): readonly string[] {
  return builtInKinds.filter((one) => one.group === group && one.names.kind === kind).map(({ version }) => version);
}

/** The api versions in which colony handles a kind of that name itself. */
function builtInVersionsOf(kind: string): readonly string[] {
  return builtInKinds.filter(({ names }) => names.kind === kind).map(apiVersionOf);
}

/** All kinds are handled alike from here on: each checks by its own schema what it is given. */
function asKind<Spec>(kind: Kind<Spec>): Kind {
  return kind as unknown as Kind;
}
