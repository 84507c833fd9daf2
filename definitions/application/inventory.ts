import { inventoryOf, isBrought } from '../core/children.ts';
import type { ChildRef } from '../core/family.ts';
import type { View } from '../core/plan.ts';
import { childNameOf, unique } from './component.ts';
import { wishedOf } from './goal.ts';
import { grouped, wavesOf } from './graph.ts';
import type { Doing } from './report.ts';
import type { InventoryEntry } from './schema.ts';

/**
 * What is remembered of every child, also of those that are only about to be made: a step may have made them although its
 * answer was lost.
 *
 * Guarantees: a need is forgotten only when its child is as wished without it and no step in the air can change that; what
 * is not brought yet keeps the needs that it came with.
 */
export function rememberedOf(
  view: View<unknown>,
  earlier: readonly InventoryEntry[],
  { goal, wishes }: Pick<Doing, 'goal' | 'wishes'>,
): readonly InventoryEntry[] {
  const isFlying = (view.inAir ?? []).some((key) => key.startsWith('children/'));
  const entries = new Map(earlier.map((entry) => [idOf(entry), entry]));
  const alive = new Set(inventoryOf(view).map((child) => idOf({ component: child.key ?? '', kind: child.kind, name: child.name })));
  if (isFlying) for (const id of entries.keys()) alive.add(id);
  for (const { component, wish } of wishedOf(goal)) {
    const { name, given, needs } = component;
    const at = { component: name, kind: given.kind, name: childNameOf(view.metadata.name, name) };
    const before = entries.get(idOf(at));
    const came = before?.dependsOn ?? [];
    const isWaiting = before !== undefined && !wishes.includes(wish);
    const dependsOn = isBrought(view, wish) && !isFlying ? needs : isWaiting ? came : unique([...came, ...needs]);
    alive.add(idOf(at));
    entries.set(idOf(at), {
      ...at,
      ...(dependsOn.length > 0 ? { dependsOn: [...dependsOn] } : {}),
      ...(given.deletionPolicy === 'Orphan' ? { deletionPolicy: 'Orphan' as const } : {}),
    });
  }
  return [...entries].filter(([id]) => alive.has(id)).map(([, entry]) => entry);
}

const idOf = ({ component, kind, name }: Pick<InventoryEntry, 'component' | 'kind' | 'name'>): string => `${component}/${kind}/${name}`;

const entryOf = (entries: readonly InventoryEntry[], child: ChildRef): InventoryEntry | undefined =>
  entries.find((entry) => idOf(entry) === idOf({ component: child.key ?? '', kind: child.kind, name: child.name }));

export const isOrphan = (entries: readonly InventoryEntry[], child: ChildRef): boolean =>
  entryOf(entries, child)?.deletionPolicy === 'Orphan';

/** In which order children go: those first that others do not need. By what is remembered, not by the spec. */
export function wavesOfLeaving(leaving: readonly ChildRef[], entries: readonly InventoryEntry[]): readonly (readonly ChildRef[])[] {
  const names = unique(entries.map(({ component }) => component));
  const graph = new Map(
    names.map(
      (name) => [name, unique(entries.filter(({ component }) => component === name).flatMap(({ dependsOn = [] }) => dependsOn))] as const,
    ),
  );
  const waves = wavesOf(graph);
  return [...grouped(leaving, ({ key }) => waves.get(key ?? '') ?? 0)].reverse();
}
