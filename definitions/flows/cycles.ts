/**
 * The rings in a graph of names, each as a walk along its edges; no two of them share a name.
 *
 * Guarantees: takes time in proportion to names and edges, and no stack.
 */
export function cyclesOf(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const done = new Set<string>();
  const found: string[][] = [];
  for (const start of edges.keys()) {
    const trail: string[] = [];
    const at = new Map<string, number>();
    const open: { readonly name: string; next: number }[] = [];
    const enter = (name: string) => {
      at.set(name, trail.length);
      trail.push(name);
      open.push({ name, next: 0 });
    };
    if (!done.has(start)) enter(start);
    while (open.length > 0) {
      const top = open[open.length - 1] as { readonly name: string; next: number };
      const next = edges.get(top.name)?.[top.next];
      top.next += 1;
      if (next === undefined) {
        open.pop();
        trail.pop();
        at.delete(top.name);
        done.add(top.name);
      } else if (at.has(next)) {
        const ring = trail.slice(at.get(next));
        if (!ring.some((name) => found.some((other) => other.includes(name)))) found.push(ring);
      } else if (!done.has(next)) enter(next);
    }
  }
  return found;
}
