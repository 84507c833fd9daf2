/** Whoever has more will read these first. */
const MAX_RINGS = 10;

/**
 * Rings in a graph of names, each as a walk along its edges that no other one ends with; none only when there are none.
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
        if (found.length < MAX_RINGS) found.push(trail.slice(at.get(next)));
      } else if (!done.has(next)) enter(next);
    }
  }
  return found;
}
