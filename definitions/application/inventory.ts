import { inventoryOf, isBrought } from '../core/children.ts';
import type { ChildRef } from '../core/family.ts';
import type { View } from '../core/plan.ts';
import { childNameOf, unique } from './component.ts';
import { type Goal, wishedOf } from './goal.ts';
import { grouped, wavesOf } from './graph.ts';
import type { InventoryEntry } from './schema.ts';

/**
 * What is remembered of every child, also of those that are only about to be made: a step may have made them although its
 * answer was lost.
 */
export function rememberedOf(view: View<unknown>, earlier: readonly InventoryEntry[], goals: readonly Goal[]): readonly InventoryEntry[] {
  const isFlying = (view.inAir ?? []).some((key) => key.startsWith('children/'));
  const entries = new Map(earlier.map((entry) => [idOf(entry), entry]));
  const alive = new Set(inventoryOf(view).map((child) => idOf({ component: child.key ?? '', kind: child.kind, name: child.name })));
  if (isFlying) for (const id of entries.keys()) alive.add(id);
  for (const goal of goals) {
    for (const { component, wish } of wishedOf(goal)) {
      const { name, given, needs } = component;
      const at = { component: name, kind: given.kind, name: childNameOf(view.metadata.name, name) };
      const before = entries.get(idOf(at))?.dependsOn ?? [];
      const dependsOn = isBrought(view, wish) ? needs : unique([...before, ...needs]);
      alive.add(idOf(at));
      entries.set(idOf(at), {
        ...at,
        ...(dependsOn.length > 0 ? { dependsOn: [...dependsOn] } : {}),
        ...(given.deletionPolicy === 'Orphan' ? { deletionPolicy: 'Orphan' as const } : {}),
      });
    }
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
