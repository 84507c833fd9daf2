import { type Component, childNameOf, componentsOf } from '../../../definitions/application/component.ts';
import { graphOf, grouped, wavesOf } from '../../../definitions/application/graph.ts';
import { type ApplicationSpec, type ApplicationStatus, applicationStatus } from '../../../definitions/application/schema.ts';
import { NOTHING, saidOf, scopeOf } from '../../../definitions/application/scope.ts';
import { diff, isSame } from '../../../definitions/core/diff.ts';
import { type Scope, test } from '../../../definitions/core/expressions/index.ts';
import { workflowIdOf } from '../../../definitions/core/identity.ts';
import { apiVersionOf } from '../../../definitions/core/kind.ts';
import { type Claimant, whyNotOurs } from '../../../definitions/core/replayed/adoption.ts';
import type { JsonObject, Resource } from '../../../definitions/core/resource.ts';
import type { Colony, DryRun, KnownKind } from '../../client/api.ts';
import { isRefusal } from '../report.ts';
import { type FilledSpec, fillKnown, openNames } from './fill.ts';
import { findKind, type Kinds } from './find-kind.ts';
import type { Forecast, PartForecast, PartOperation } from './forecast.ts';

/** How a component is now, and what is known of its kind. */
interface Now {
  readonly component: Component;
  readonly found: ReturnType<typeof findKind>;
  readonly resource: Resource | undefined;
}

/**
 * What applying an application would do to its components, by what can be read now.
 *
 * Guarantees: reads only; a value of a component that would change, or is not ready, is never guessed.
 */
export async function forecastApplication(
  colony: Colony,
  { before, after }: DryRun,
  defined: Kinds['defined'],
): Promise<Pick<Forecast, 'waves' | 'leaving'>> {
  const spec = after.spec as unknown as ApplicationSpec;
  const uid = before ? { uid: before.metadata.uid } : {};
  const place = { application: after.metadata.name, ...uid, namespace: after.metadata.namespace ?? 'default' };
  const components = componentsOf(spec);
  const waves = wavesOf(graphOf(components));
  const inOrder = [...components].sort((a, b) => (waves.get(a.name) ?? 0) - (waves.get(b.name) ?? 0));
  const kinds: Kinds = { known: await colony.kinds(), defined };
  const status = statusOf(before);
  const former = before ? componentsOf(before.spec as unknown as ApplicationSpec) : [];
  const settled = new Map<string, Now>();
  const skipped = new Set<string>();
  const parts = new Map<string, PartForecast>();
  for (const component of inOrder) {
    const now = await readNow(colony, kinds, component, place);
    const part = await forecastPart(colony, { now, spec, settled, skipped, status, former, place });
    parts.set(component.name, part);
    if (part.operation === 'skipped') skipped.add(component.name);
    if (part.operation === 'unchanged' && isReady(now.resource)) settled.set(component.name, now);
  }
  const shown = grouped(inOrder, ({ name }) => waves.get(name) ?? 0);
  return {
    waves: shown.map((wave) => wave.map(({ name }) => parts.get(name) as PartForecast)),
    leaving: leavingOf(status, [...parts.values()], spec),
  };
}

interface Place {
  readonly application: string;
  /** Of the application, when it is there. */
  readonly uid?: string;
  readonly namespace: string;
}

interface Circumstances {
  readonly now: Now;
  readonly spec: ApplicationSpec;
  /** Those that would stay as they are, and are ready. */
  readonly settled: ReadonlyMap<string, Now>;
  readonly skipped: ReadonlySet<string>;
  readonly status: ApplicationStatus | undefined;
  readonly former: readonly Component[];
  readonly place: Place;
}

async function forecastPart(colony: Colony, circumstances: Circumstances): Promise<PartForecast> {
  const { now, settled, skipped } = circumstances;
  const { component, found, resource } = now;
  const { name, given } = component;
  const said = (operation: PartOperation, more: Partial<PartForecast> = {}): PartForecast => ({
    name,
    kind: given.kind,
    resource: childNameOf(circumstances.place.application, name),
    operation,
    changes: [],
    ...more,
  });
  const scope = scopeOfSettled(circumstances);
  const isSettled = (other: string): boolean => settled.has(other) || skipped.has(other);
  const when = typeof given.when === 'string' ? given.when : undefined;
  const open = when === undefined ? [] : openNames(`\${${when.replace(/^\$\{([\s\S]*)\}$/, '$1')}}`, isSettled);
  if (open.length > 0) return said('undecided', { note: `whether it is wanted is known after ${open.join(', ')} ${isAre(open)} ready` });
  const wanted = when === undefined ? { value: given.when !== false } : test(when, scope);
  if (!('value' in wanted)) return said('undecided', { note: 'problem' in wanted ? wanted.problem : 'when: a value is not known' });
  if (!wanted.value) return said('skipped');
  const stranger = resource && whyNotOurs(claimantOf(circumstances.place), resource);
  if (stranger) return said('refused', { note: stranger });
  if (resource?.metadata.deletionTimestamp) return said('created', { note: 'when the one that is being deleted is gone' });
  const filled = fillKnown(given.spec, resource?.spec, scope, isSettled);
  const unknown = filled.unknown.map(({ path, old, after }) => ({
    path,
    type: old === undefined ? ('added' as const) : ('modified' as const),
    ...(old === undefined ? {} : { old }),
    knownAfter: after,
  }));
  if (!('kind' in found)) return said(found.operation, { ...found, changes: unknown });
  const replaces = replacedBy(circumstances);
  if (!resource && filled.unknown.length > 0)
    return said(replaces ? 'replaced' : 'created', { changes: unknown, ...(replaces ? { note: replaces } : {}) });
  try {
    const run = await colony.dryRun(manifestOf(circumstances, found, filled));
    if (!resource) return said(replaces ? 'replaced' : 'created', replaces ? { note: replaces } : {});
    const changes = [...diff(resource.spec, run.after.spec ?? {}, 'spec'), ...labelChanges(resource, run), ...unknown];
    return said(changes.length > 0 ? 'changed' : 'unchanged', { changes });
  } catch (error) {
    if (!isRefusal(error, 'Invalid')) throw error;
    return said('refused', { changes: unknown, note: (error as Error).message });
  }
}

const claimantOf = ({ application, uid }: Place): Claimant => ({ kind: 'Application', name: application, ...(uid ? { uid } : {}) });

/** Only labels that the application itself gives are its business. */
const labelChanges = ({ metadata }: Resource, { after }: DryRun) =>
  diff(metadata.labels, { ...metadata.labels, ...after.metadata.labels }, 'metadata.labels');

function manifestOf({ now: { component }, place }: Circumstances, known: KnownKind, { value }: FilledSpec): JsonObject {
  const { name, given } = component;
  return {
    apiVersion: apiVersionOf(known.kind),
    kind: given.kind,
    metadata: {
      name: childNameOf(place.application, name),
      ...(known.kind.scope === 'Namespaced' ? { namespace: place.namespace } : {}),
      ...(given.labels ? { labels: given.labels } : {}),
    },
    spec: value,
  };
}

function scopeOfSettled({ spec, settled, place }: Circumstances): Scope {
  const said = componentsOf(spec).map(({ name }) => {
    const { resource } = settled.get(name) ?? {};
    return [name, resource ? saidOf(resource.metadata.name, { status: resource.status ?? {} }) : NOTHING] as const;
  });
  return scopeOf(spec.params ?? {}, Object.fromEntries(said), (component) => {
    const found = settled.get(component)?.found;
    if (!found || !('kind' in found)) return undefined;
    const { scope, group, names } = found.kind;
    const name = childNameOf(place.application, component);
    return workflowIdOf({ plural: names.plural, group, name, ...(scope === 'Namespaced' ? { namespace: place.namespace } : {}) });
  });
}

async function readNow(colony: Colony, kinds: Kinds, component: Component, { application, namespace }: Place): Promise<Now> {
  const found = findKind(component.given, kinds);
  if (!('kind' in found)) return { component, found, resource: undefined };
  const name = childNameOf(application, component.name);
  const ref = found.kind.scope === 'Namespaced' ? { name, namespace } : { name };
  const resource = await colony
    .resources(apiVersionOf(found.kind), found.kind.names.kind)
    .get(ref)
    .catch((error: unknown) => {
      if (isRefusal(error, 'NotFound')) return undefined;
      throw error;
    });
  return { component, found, resource };
}

/** Whether it takes the place of one that goes: the same name with another kind, or the same thing under another name. */
function replacedBy({ now: { component }, status, former, spec, place }: Circumstances): string | undefined {
  const { name, given } = component;
  const retyped = status?.inventory.find((entry) => entry.component === name && entry.kind !== given.kind);
  if (retyped) return `takes the place of ${retyped.kind} ${retyped.name}`;
  const names = componentsOf(spec).map((one) => one.name);
  const renamed = former.find((one) => !names.includes(one.name) && one.given.kind === given.kind && isSame(one.given.spec, given.spec));
  return renamed ? `takes the place of ${renamed.given.kind} ${childNameOf(place.application, renamed.name)}` : undefined;
}

function leavingOf(
  status: ApplicationStatus | undefined,
  parts: readonly PartForecast[],
  { prune }: ApplicationSpec,
): readonly PartForecast[] {
  const isWanted = (component: string, kind: string): boolean =>
    parts.some((part) => part.name === component && part.kind === kind && part.operation !== 'skipped');
  const leaving = (status?.inventory ?? []).filter(({ component, kind }) => !isWanted(component, kind));
  const graph = graphOf((status?.inventory ?? []).map(({ component, dependsOn = [] }) => ({ name: component, needs: dependsOn })));
  const waves = wavesOf(graph);
  return [...grouped(leaving, ({ component }) => waves.get(component) ?? 0)]
    .reverse()
    .flat()
    .map(({ component, kind, name, deletionPolicy }) => ({
      name: component,
      kind,
      resource: name,
      operation: prune && !deletionPolicy ? ('deleted' as const) : ('kept' as const),
      changes: [],
      ...(prune ? (deletionPolicy ? { note: 'belongs to nobody then (deletionPolicy Orphan)' } : {}) : { note: 'prune is false' }),
    }));
}

function statusOf(before: Resource | undefined): ApplicationStatus | undefined {
  const read = applicationStatus.safeParse(before?.status);
  return read.success ? read.data : undefined;
}

function isReady(resource: Resource | undefined): boolean {
  const { generation } = resource?.metadata ?? {};
  return (resource?.status?.conditions ?? []).some(
    ({ type, status, observedGeneration }) => type === 'Ready' && status === 'True' && observedGeneration === generation,
  );
}

const isAre = (names: readonly unknown[]): string => (names.length === 1 ? 'is' : 'are');
