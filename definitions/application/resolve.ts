import { annotations } from '../core/annotations.ts';
import { childOf, wishOf } from '../core/children.ts';
import { fillTemplate, type Reference, type Scope, test, written } from '../core/expressions/index.ts';
import type { ChildWish } from '../core/family.ts';
import type { View } from '../core/plan.ts';
import type { JsonObject } from '../core/resource.ts';
import { toldTree } from '../core/told-path.ts';
import { type Component, childNameOf } from './component.ts';
import { graphOf, wavesOf } from './graph.ts';
import { NOTHING, saidOf, scopeOf } from './scope.ts';

/** What shall be of one component now. */
export type Resolved =
  | { readonly state: 'wished'; readonly wish: ChildWish; readonly isReady: boolean }
  /** It is not wanted: `when` says so. */
  | { readonly state: 'skipped' }
  /** Nobody can say yet what to wish; what there is of it stays as it is. */
  | { readonly state: 'waiting'; readonly waitingFor: readonly string[]; readonly message: string; readonly isBroken?: true };

/** Where the values come from that components tell each other. */
export interface Source {
  readonly params: JsonObject;
  /** Whether a component is as its wish says, so that others may build on it. */
  isReady(component: Component, wish: ChildWish): boolean;
  /** By path: `{"status.endpoint": "db:5432"}`. */
  valuesOf(component: Component, wish: ChildWish): JsonObject;
}

type Place = Pick<View, 'observed' | 'metadata'>;

/**
 * What each component shall be, from what is known now.
 *
 * Guarantees: nothing is wished before everybody it needs is ready at what is wished of them, and before all its texts can
 * be filled in; the same knowledge gives the same wishes.
 */
export function resolve(view: Place, components: readonly Component[], source: Source): ReadonlyMap<string, Resolved> {
  const waves = wavesOf(graphOf(components));
  const inOrder = [...components].sort((a, b) => (waves.get(a.name) ?? 0) - (waves.get(b.name) ?? 0));
  const resolved = new Map<string, Resolved>();
  const values: Record<string, JsonObject> = {};
  const ids = new Map<string, string>();
  const scope = scopeOf(source.params, values, (name) => ids.get(name));
  for (const component of inOrder) {
    const answer = one(view, component, source, scope, (name) => resolved.get(name) ?? { state: 'skipped' });
    resolved.set(component.name, answer);
    values[component.name] = NOTHING;
    if (answer.state !== 'wished') continue;
    const { wish } = answer;
    values[component.name] = saidOf(childNameOf(view.metadata.name, component.name), toldTree(source.valuesOf(component, wish)));
    const child = childOf(view, wish);
    if (child) ids.set(component.name, child.id);
  }
  return resolved;
}

function one(view: Place, component: Component, source: Source, scope: Scope, of: (name: string) => Resolved): Resolved {
  const { given, needs, decidedBy } = component;
  const isSettled = (name: string): boolean => {
    const other = of(name);
    return other.state === 'skipped' || (other.state === 'wished' && other.isReady);
  };
  const undecided = decidedBy.filter((name) => !isSettled(name));
  if (undecided.length > 0) return waitingFor(undecided);
  const wanted = isWanted(given.when, scope);
  if ('state' in wanted) return wanted;
  if (!wanted.value) return { state: 'skipped' };
  const unready = needs.filter((name) => !isSettled(name));
  if (unready.length > 0) return waitingFor(unready);
  const filled = fillTemplate(given.spec, scope);
  if (!('value' in filled)) return unfilled(filled, 'spec', of);
  const wish = wishOf(component.name, manifestOf(view, component, filled.value as JsonObject));
  return { state: 'wished', wish, isReady: source.isReady(component, wish) };
}

function isWanted(when: boolean | string | undefined, scope: Scope): { readonly value: boolean } | Resolved {
  if (typeof when !== 'string') return { value: when ?? true };
  const answer = test(when, scope);
  return 'value' in answer ? answer : unfilled(answer, 'when', () => ({ state: 'skipped' }));
}

/** The resource of a component, as it is applied. */
function manifestOf({ metadata }: Place, { name, given, tells }: Component, spec: JsonObject): JsonObject {
  return {
    ...(given.apiVersion ? { apiVersion: given.apiVersion } : {}),
    kind: given.kind,
    metadata: {
      name: childNameOf(metadata.name, name),
      ...(given.labels ? { labels: given.labels } : {}),
      ...(tells.length > 0 ? { annotations: { [annotations.tells]: tells.join(' ') } } : {}),
    },
    spec,
  };
}

const waitingFor = (names: readonly string[]): Resolved => ({
  state: 'waiting',
  waitingFor: names,
  message: `waits for ${names.join(', ')}`,
});

function unfilled(
  answer: { readonly missing: readonly Reference[] } | { readonly problem: string },
  field: string,
  of: (name: string) => Resolved,
): Resolved {
  if ('problem' in answer) return { state: 'waiting', waitingFor: [], message: `${field}: ${answer.problem}`, isBroken: true };
  const missing = [...new Set(answer.missing.map(written))].sort();
  const skipped = answer.missing.filter(([root, name]) => root === 'components' && of(name ?? '').state === 'skipped');
  const why = skipped.length > 0 ? `, but ${[...new Set(skipped.map(([, name]) => name))].sort().join(', ')} is not wanted` : '';
  return { state: 'waiting', waitingFor: missing, message: `needs ${missing.join(', ')}${why}` };
}
