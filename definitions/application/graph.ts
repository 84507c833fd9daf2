/** Who needs whom: for each name the names that must be there before it. */
export type Graph = ReadonlyMap<string, readonly string[]>;

export const graphOf = (nodes: readonly { readonly name: string; readonly needs: readonly string[] }[]): Graph =>
  new Map(nodes.map(({ name, needs }) => [name, needs]));

/** A way that leads back to its beginning: `[a, b, a]`; undefined when there is none. Names that nobody knows lead nowhere. */
export function cycleOf(graph: Graph): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (name: string, way: readonly string[]): readonly string[] | undefined => {
    const from = way.indexOf(name);
    if (from >= 0) return [...way.slice(from), name];
    if (done.has(name)) return undefined;
    for (const need of graph.get(name) ?? []) {
      const found = visit(need, [...way, name]);
      if (found) return found;
    }
    done.add(name);
    return undefined;
  };
  for (const name of graph.keys()) {
    const found = visit(name, []);
    if (found) return found;
  }
  return undefined;
}

/**
 * Several graphs as one; everybody that one of them names is in it.
 *
 * Guarantees: nobody needs itself in it, be it over others: a need that contradicts an earlier graph is left out, all others
 * are kept.
 */
export function merged(...graphs: readonly Graph[]): Graph {
  const all = new Map<string, Set<string>>();
  for (const graph of graphs) {
    for (const [name, needs] of graph) {
      const known = all.get(name) ?? new Set();
      all.set(name, known);
      for (const need of needs) if (!known.has(need) && !leadsTo(all, need, name)) known.add(need);
    }
  }
  return new Map([...all].map(([name, needs]) => [name, [...needs]]));
}

function leadsTo(graph: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean {
  const reached = new Set([from]);
  for (const name of reached) for (const need of graph.get(name) ?? []) reached.add(need);
  return reached.has(to);
}

/**
 * In which wave each comes: 0 needs nobody, 1 needs some of wave 0, and so on.
 *
 * Guarantees: everybody comes in a later wave than all whom it needs, unless they need each other (a mixture of two specs
 * may): then some order is taken.
 */
export function wavesOf(graph: Graph): ReadonlyMap<string, number> {
  const waves = new Map<string, number>();
  const visit = (name: string, way: ReadonlySet<string>): number => {
    const known = waves.get(name);
    if (known !== undefined) return known;
    if (way.has(name)) return -1;
    const needs = (graph.get(name) ?? []).filter((need) => graph.has(need));
    const wave = 1 + Math.max(-1, ...needs.map((need) => visit(need, new Set([...way, name]))));
    waves.set(name, wave);
    return wave;
  };
  for (const name of graph.keys()) visit(name, new Set());
  return waves;
}

/** Groups by wave, those that need nobody first; empty waves are left out. */
export function grouped<T>(items: readonly T[], waveOf: (item: T) => number): readonly (readonly T[])[] {
  const waves = new Map<number, T[]>();
  for (const item of items) waves.set(waveOf(item), [...(waves.get(waveOf(item)) ?? []), item]);
  return [...waves].sort(([a], [b]) => a - b).map(([, wave]) => wave);
}
