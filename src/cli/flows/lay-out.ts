import { layersOf, type Ordered } from './layers.ts';

/** What is to be placed; widths and gaps may be of characters or of pixels. */
export interface Box extends Ordered {
  readonly width: number;
}

/** One box, or a line that passes between boxes on its way further down. */
export interface Place {
  /** undefined: a line passes here. */
  readonly name: string | undefined;
  readonly width: number;
  /** Of its middle. */
  x: number;
  readonly before: Place[];
  readonly after: Place[];
}

export interface Placed {
  readonly layers: readonly (readonly Place[])[];
  readonly width: number;
}

export interface Spacing {
  readonly gap: number;
  /** The width of a line that passes. */
  readonly lane: number;
}

const SWEEPS = 8;

/**
 * Places boxes in layers, lines from layer to layer: few crossings, and everybody near the middle of its neighbours.
 *
 * Guarantees: no two of a layer are nearer than the gap; with odd whole widths all middles are whole.
 */
export function layOut(boxes: readonly Box[], spacing: Spacing): Placed {
  const layers = connect(boxes, spacing);
  untangle(layers);
  position(layers, spacing);
  const all = layers.flat();
  const left = Math.min(...all.map(({ x, width }) => x - half(width)));
  for (const place of all) place.x -= left;
  return { layers, width: Math.max(0, ...all.map(({ x, width }) => x + half(width))) + 1 };
}

/** From the middle to an edge; whole for whole odd widths. */
export const half = (width: number): number => (width - 1) / 2;

/** Places of all boxes, and of every line in every layer that it passes. */
function connect(boxes: readonly Box[], { lane }: Spacing): Place[][] {
  const { layers: names, before } = layersOf(boxes);
  const widths = new Map(boxes.map(({ name, width }) => [name, width]));
  const places = new Map<string, Place>();
  const layers: Place[][] = names.map((layer) =>
    layer.map((name) => {
      const place = placeOf(name, widths.get(name) ?? 1);
      places.set(name, place);
      return place;
    }),
  );
  const depths = new Map(names.flatMap((layer, depth) => layer.map((name) => [name, depth] as const)));
  const passing = new Map<string, Place>();
  for (const [name, all] of before) {
    for (const need of all) {
      let from = places.get(need) as Place;
      for (let depth = (depths.get(need) ?? 0) + 1; depth < (depths.get(name) ?? 0); depth += 1) {
        // Those that need the same share the line; others could be taken for its ends as well.
        const key = JSON.stringify([need, depth, [...all].sort()]);
        const line = passing.get(key) ?? placeOf(undefined, lane);
        if (!passing.has(key)) {
          passing.set(key, line);
          layers[depth]?.push(line);
          join(from, line);
        }
        from = line;
      }
      join(from, places.get(name) as Place);
    }
  }
  return layers;
}

const placeOf = (name: string | undefined, width: number): Place => ({ name, width, x: 0, before: [], after: [] });

function join(above: Place, below: Place): void {
  above.after.push(below);
  below.before.push(above);
}

/** Orders each layer by where its neighbours stand, down and up again, and keeps the best order seen. */
function untangle(layers: Place[][]): void {
  let best = layers.map((layer) => [...layer]);
  let fewest = crossings(layers);
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep += 1) {
    const isDown = sweep % 2 === 0;
    for (const layer of isDown ? layers : [...layers].reverse()) {
      sortBy(layer, layers, (place) => (isDown ? place.before : place.after));
    }
    const found = crossings(layers);
    if (found < fewest) {
      fewest = found;
      best = layers.map((layer) => [...layer]);
    }
  }
  for (const [depth, layer] of best.entries()) layers[depth] = layer;
}

function sortBy(layer: Place[], layers: readonly Place[][], neighboursOf: (place: Place) => readonly Place[]): void {
  const index = indexOf(layers);
  const wished = new Map(
    layer.map((place, own) => {
      const neighbours = neighboursOf(place).map((other) => index.get(other) ?? 0);
      return [place, neighbours.length > 0 ? mean(neighbours) : own] as const;
    }),
  );
  layer.sort((a, b) => (wished.get(a) ?? 0) - (wished.get(b) ?? 0));
}

const indexOf = (layers: readonly (readonly Place[])[]): ReadonlyMap<Place, number> =>
  new Map(layers.flatMap((layer) => layer.map((place, at) => [place, at] as const)));

function crossings(layers: readonly (readonly Place[])[]): number {
  const index = indexOf(layers);
  let count = 0;
  for (const layer of layers) {
    const lines = layer.flatMap((place, from) => place.after.map((other) => [from, index.get(other) ?? 0] as const));
    for (const [a, [from, to]] of lines.entries())
      for (const [otherFrom, otherTo] of lines.slice(a + 1)) if ((from - otherFrom) * (to - otherTo) < 0) count += 1;
  }
  return count;
}

/** Gives everybody a middle: first side by side, then sweep by sweep nearer to its neighbours. */
function position(layers: readonly (readonly Place[])[], { gap }: Spacing): void {
  for (const layer of layers)
    settle(
      layer,
      layer.map(() => 0),
      gap,
    );
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isDown = sweep % 2 === 0;
    for (const layer of isDown ? layers : [...layers].reverse()) {
      const wishes = layer.map((place) => {
        const near = isDown ? place.before : place.after;
        const neighbours = near.length > 0 ? near : isDown ? place.after : place.before;
        return neighbours.length > 0 ? mean(neighbours.map(({ x }) => x)) : place.x;
      });
      settle(layer, wishes, gap);
    }
  }
  for (const layer of layers) {
    const wishes = layer.map(({ x, before, after }) =>
      before.length + after.length > 0 ? mean([...before, ...after].map((other) => other.x)) : x,
    );
    settle(layer, wishes, gap);
  }
}

/**
 * Moves the places of a layer as near to their wishes as the gaps allow (least squares: neighbours in each other's way share a
 * block, which stands where its members wish on average).
 */
function settle(layer: readonly Place[], wishes: readonly number[], gap: number): void {
  const offsets: number[] = [];
  for (const [i, { width }] of layer.entries()) {
    const last = layer[i - 1];
    offsets.push(last ? (offsets[i - 1] ?? 0) + half(last.width) + half(width) + 1 + gap : 0);
  }
  const blocks: { sum: number; count: number }[] = [];
  for (const [i, wish] of wishes.entries()) {
    let block = { sum: wish - (offsets[i] ?? 0), count: 1 };
    for (let last = blocks.at(-1); last && last.sum / last.count >= block.sum / block.count; last = blocks.at(-1)) {
      blocks.pop();
      block = { sum: block.sum + last.sum, count: block.count + last.count };
    }
    blocks.push(block);
  }
  let i = 0;
  for (const { sum, count } of blocks) {
    for (const end = i + count; i < end; i += 1) (layer[i] as Place).x = Math.round(sum / count) + (offsets[i] ?? 0);
  }
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
