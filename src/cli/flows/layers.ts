/** Something that comes after others. */
export interface Ordered {
  readonly name: string;
  /** Names of those that come before it; unknown ones count for nothing. */
  readonly needs: readonly string[];
}

/** Who stands in which layer, and which lines say all that there is to say about the order. */
export interface Layers {
  /** Names, the first layer first; each in the order given. */
  readonly layers: readonly (readonly string[])[];
  /** By name, the direct ones: what already follows from another line is left out. */
  readonly before: ReadonlyMap<string, readonly string[]>;
}

/**
 * Puts everybody one layer below the lowest of those that it needs.
 *
 * Guarantees: ends, also when names need each other in a circle (nobody can apply that, but anybody may draw it).
 */
export function layersOf(nodes: readonly Ordered[]): Layers {
  const needs = new Map(nodes.map(({ name, needs: all }) => [name, [...new Set(all)]]));
  for (const [name, all] of needs)
    needs.set(
      name,
      all.filter((need) => needs.has(need) && need !== name),
    );
  const depths = new Map<string, number>();
  const above = new Map<string, Set<string>>();
  for (const name of inOrder(needs)) {
    const known = (needs.get(name) ?? []).filter((need) => depths.has(need));
    depths.set(name, Math.max(-1, ...known.map((need) => depths.get(need) ?? -1)) + 1);
    above.set(name, new Set(known.flatMap((need) => [need, ...(above.get(need) ?? [])])));
  }
  const before = new Map(
    nodes.map(({ name }) => [
      name,
      directOf(
        (needs.get(name) ?? []).filter((need) => above.get(name)?.has(need)),
        above,
      ),
    ]),
  );
  const layers: string[][] = Array.from({ length: Math.max(0, ...depths.values()) + 1 }, () => []);
  for (const { name } of nodes) layers[depths.get(name) ?? 0]?.push(name);
  return { layers, before };
}

/** Those that stand before no other one of them. */
function directOf(needs: readonly string[], above: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const implied = new Set(needs.flatMap((need) => [...(above.get(need) ?? [])]));
  return needs.filter((need) => !implied.has(need));
}

/** Each after all that it needs; what is in a circle comes last. */
function inOrder(needs: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const open = new Map([...needs].map(([name, all]) => [name, all.length]));
  const followers = new Map<string, string[]>();
  for (const [name, all] of needs) for (const need of all) followers.set(need, [...(followers.get(need) ?? []), name]);
  const order = [...needs.keys()].filter((name) => open.get(name) === 0);
  for (let i = 0; i < order.length; i += 1) {
    for (const follower of followers.get(order[i] as string) ?? []) {
      open.set(follower, (open.get(follower) ?? 0) - 1);
      if (open.get(follower) === 0) order.push(follower);
    }
  }
  const done = new Set(order);
  return [...order, ...[...needs.keys()].filter((name) => !done.has(name))];
}
