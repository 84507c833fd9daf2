import { layersOf, type Ordered } from './layers.ts';

/** Those that are drawn as one: alone, or several that stand in the same place of the order. */
export interface Fold<T> {
  /** Of the first one. */
  readonly name: string;
  /** Names of folds. */
  readonly needs: readonly string[];
  readonly members: readonly T[];
}

/** Puts together what comes after the same ones and before the same ones, where that are at least `from`. */
export function fold<T extends Ordered>(nodes: readonly T[], from: number): readonly Fold<T>[] {
  const { before } = layersOf(nodes);
  const after = new Map<string, string[]>();
  for (const [name, all] of before) for (const need of all) after.set(need, [...(after.get(need) ?? []), name]);
  const placeOf = ({ name }: T): string => JSON.stringify([[...(before.get(name) ?? [])].sort(), [...(after.get(name) ?? [])].sort()]);
  const places = new Map<string, T[]>();
  for (const node of nodes) places.set(placeOf(node), [...(places.get(placeOf(node)) ?? []), node]);
  const groups = [...places.values()].flatMap((group) => (group.length >= from ? [group] : group.map((node) => [node])));
  const leaders = new Map(groups.flatMap((group) => group.map(({ name }) => [name, group[0]?.name ?? name] as const)));
  return groups.map((members) => {
    const { name } = members[0] as T;
    return { name, needs: [...new Set((before.get(name) ?? []).map((need) => leaders.get(need) ?? need))], members };
  });
}
