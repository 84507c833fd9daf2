import { type Channel, route } from '../flows/channel.ts';
import { fold } from '../flows/fold.ts';
import { type Box, layOut, type Place, type Placed } from '../flows/lay-out.ts';
import { layersOf } from '../flows/layers.ts';

/** A step as the picture shows it. */
export interface GraphNode {
  readonly name: string;
  readonly needs: readonly string[];
  /** One line. */
  readonly label: string;
  readonly paint?: (text: string) => string;
}

const GAP = 3;
const LANE = 3;
/** What is needed by the same ones and needs the same ones is drawn as one block, when there are so many. */
const FOLD_FROM = 3;

/**
 * Draws a graph from top to bottom; undefined when it does not fit into the width.
 *
 * What stands in one place of the order is folded into a block, if the graph is too wide without.
 */
export function graphText(nodes: readonly GraphNode[], width: number): string | undefined {
  return drawn(nodes.map(single), width) ?? drawn(folded(nodes, width), width);
}

interface Block extends Box {
  readonly lines: readonly (readonly GraphNode[])[];
  /** Of a cell, in a block of several. */
  readonly cell: number;
}

const single = (node: GraphNode): Block => {
  const cell = odd(node.label.length);
  return { name: node.name, needs: node.needs, width: cell, lines: [[node]], cell };
};

const odd = (width: number): number => width + 1 - (width % 2);

/** Steps in the same place of the order become one block: a frame with as many columns as fit. */
function folded(nodes: readonly GraphNode[], width: number): readonly Block[] {
  const folds = fold(nodes, FOLD_FROM);
  const { layers } = layersOf(folds);
  return folds.map(({ name, needs, members }) => {
    if (members.length === 1) return { ...single(members[0] as GraphNode), needs };
    const layer = layers.find((names) => names.includes(name)) ?? [];
    const beside = folds.filter((other) => layer.includes(other.name));
    const taken = beside.map((other) => (other.members.length > 1 ? 0 : single(other.members[0] as GraphNode).width) + GAP);
    const room = width - taken.reduce((sum, one) => sum + one, 0);
    return framed(members, needs, Math.floor(room / beside.filter((other) => other.members.length > 1).length) - 4);
  });
}

function framed(group: readonly GraphNode[], needs: readonly string[], room: number): Block {
  const cell = Math.max(...group.map(({ label }) => label.length));
  const columns = Math.max(1, Math.min(group.length, Math.floor((room + 2) / (cell + 2))));
  const lines = Array.from({ length: Math.ceil(group.length / columns) }, (_, i) => group.slice(i * columns, (i + 1) * columns));
  return { name: group[0]?.name ?? '', needs, width: odd(columns * (cell + 2) - 2 + 4), lines, cell };
}

function drawn(blocks: readonly Block[], width: number): string | undefined {
  const placed = layOut(blocks, { gap: GAP, lane: LANE });
  if (placed.width > width) return undefined;
  const channels = placed.layers.map(route);
  return channels.every((channel) => channel !== undefined) ? draw(blocks, placed, channels) : undefined;
}

function draw(blocks: readonly Block[], { layers, width }: Placed, channels: readonly Channel[]): string {
  const byName = new Map(blocks.map((block) => [block.name, block]));
  const canvas = new Canvas(width);
  for (const [depth, layer] of layers.entries()) {
    const { nets, height } = channels[depth] as Channel;
    const tall = Math.max(1, ...layer.map(({ name }) => heightOf(name === undefined ? undefined : byName.get(name))));
    for (const place of layer) {
      const block = place.name === undefined ? undefined : byName.get(place.name);
      const own = block ? heightOf(block) : 0;
      if (block) canvas.block(block, place);
      // Whoever is lower than its neighbours, and a line that passes, reach down to the lines below.
      for (const { from } of nets) for (const x of from) if (Math.abs(x - place.x) <= (place.width - 1) / 2) canvas.vertical(x, own, tall);
    }
    canvas.down(tall);
    for (const net of nets) canvas.net(net, height);
    canvas.down(height);
  }
  return canvas.text();
}

const heightOf = (block: Block | undefined): number =>
  !block ? 1 : block.lines.length === 1 && block.lines[0]?.length === 1 ? 1 : block.lines.length + 2;

const UP = 1;
const DOWN = 2;
const LEFT = 4;
const RIGHT = 8;
/** By the sum of the directions in which a line goes on. */
const CORNERS = ' ││││╯╮┤─╰╭├─┴┬┼';

class Canvas {
  readonly #rows: Map<number, string>[] = [];
  readonly #width: number;
  #top = 0;

  constructor(width: number) {
    this.#width = width;
  }

  down(rows: number): void {
    this.#top += rows;
  }

  /** In rows of what is drawn just now. */
  vertical(x: number, from: number, to: number): void {
    for (let y = from; y < to; y += 1) this.#put(x, y, '│');
  }

  block({ lines, cell, width }: Block, { x }: Place): void {
    const left = x - (width - 1) / 2;
    const [first] = lines;
    if (lines.length === 1 && first?.length === 1) return this.#label(first[0] as GraphNode, left, 0);
    this.#line(left, 0, `╭${'─'.repeat(width - 2)}╮`);
    for (const [i, nodes] of lines.entries()) {
      this.#line(left, i + 1, `│${' '.repeat(width - 2)}│`);
      for (const [column, node] of nodes.entries()) this.#label(node, left + 2 + column * (cell + 2), i + 1);
    }
    this.#line(left, lines.length + 1, `╰${'─'.repeat(width - 2)}╯`);
  }

  net({ from, to, row }: Channel['nets'][number], height: number): void {
    if (row === undefined) return this.vertical(from[0] ?? 0, 0, height);
    const [left, right] = [Math.min(...from, ...to), Math.max(...from, ...to)];
    for (const x of from) this.vertical(x, 0, row);
    for (const x of to) this.vertical(x, row + 1, height);
    for (let x = left; x <= right; x += 1) {
      const arms = (from.includes(x) ? UP : 0) + (to.includes(x) ? DOWN : 0) + (x > left ? LEFT : 0) + (x < right ? RIGHT : 0);
      // A line of somebody else's that passes here stays whole: the bar is interrupted.
      if (this.#at(x, row) === undefined) this.#put(x, row, CORNERS[arms] ?? '?');
    }
  }

  text(): string {
    return this.#rows
      .map((row) => {
        let line = '';
        for (let x = 0; x < this.#width; x += 1) line += row.get(x) ?? ' ';
        return `${line.trimEnd()}\n`;
      })
      .join('');
  }

  /** Painted as a whole: the first cell holds all of it, the others nothing. */
  #label({ label, paint = (text) => text }: GraphNode, x: number, y: number): void {
    for (let i = 0; i < label.length; i += 1) this.#put(x + i, y, i === 0 ? paint(label) : '');
  }

  #line(x: number, y: number, text: string): void {
    for (const [i, char] of [...text].entries()) this.#put(x + i, y, char);
  }

  #at(x: number, y: number): string | undefined {
    return this.#rows[this.#top + y]?.get(x);
  }

  #put(x: number, y: number, char: string): void {
    const row = this.#top + y;
    while (this.#rows.length <= row) this.#rows.push(new Map());
    this.#rows[row]?.set(x, char);
  }
}
