import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { graphText } from '../output/graph-text.ts';
import { layersOf, type Ordered } from './layers.ts';

/** Random graphs: everybody may need those before it. */
const graphs: fc.Arbitrary<readonly Ordered[]> = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.array(fc.nat(11), { maxLength: 3 })), { minLength: 1, maxLength: 12 })
  .map((drafts) =>
    drafts.map(([chars, needs], index) => ({
      name: `${String.fromCharCode(65 + index)}${'x'.repeat(chars)}`,
      needs: [...new Set(needs)]
        .filter((need) => need < index)
        .map((need) => `${String.fromCharCode(65 + need)}${'x'.repeat(drafts[need]?.[0] ?? 1)}`),
    })),
  );

const DIRECTIONS = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] } as const;
type Direction = keyof typeof DIRECTIONS;
const BACK: Readonly<Record<Direction, Direction>> = { up: 'down', down: 'up', left: 'right', right: 'left' };
const ARMS: Readonly<Record<string, readonly Direction[]>> = {
  '│': ['up', 'down'],
  '─': ['left', 'right'],
  '╭': ['down', 'right'],
  '╮': ['down', 'left'],
  '╰': ['up', 'right'],
  '╯': ['up', 'left'],
  '├': ['up', 'down', 'right'],
  '┤': ['up', 'down', 'left'],
  '┬': ['down', 'left', 'right'],
  '┴': ['up', 'left', 'right'],
  '┼': ['up', 'down', 'left', 'right'],
};

/** Reads the lines of a picture as a person does: along them and never up again, straight over those that they cross, into the name below. */
class Reading {
  readonly #rows: readonly string[];

  constructor(picture: string) {
    this.#rows = picture.split('\n');
  }

  /** `A>B` for all lines. */
  edges(): string[] {
    const names = this.#rows.flatMap((row, y) => [...row.matchAll(/[A-Z]x+/g)].map((match) => ({ name: match[0], x: match.index, y })));
    return names.flatMap(({ name, x, y }) => {
      const found = new Set<string>();
      for (let i = 0; i < name.length; i += 1) this.#follow(x + i, y, 'down', found, new Set());
      return [...found].map((below) => `${name}>${below}`);
    });
  }

  #follow(x: number, y: number, towards: Direction, found: Set<string>, seen: Set<string>): void {
    const [dx, dy] = DIRECTIONS[towards];
    const [nextX, nextY] = [x + dx, y + dy];
    const char = this.#rows[nextY]?.[nextX] ?? ' ';
    if (/[A-Zx]/.test(char)) {
      if (towards === 'down') found.add(this.#nameAt(nextX, nextY));
      return;
    }
    const arms = ARMS[char];
    if (!arms) return;
    if (!arms.includes(BACK[towards])) {
      // A bar goes on behind a line that crosses it.
      if (char === '│' && (towards === 'left' || towards === 'right')) this.#follow(nextX, nextY, towards, found, seen);
      return;
    }
    const key = `${nextX},${nextY}`;
    if (seen.has(key)) return;
    seen.add(key);
    for (const arm of arms) if (arm !== BACK[towards] && arm !== 'up') this.#follow(nextX, nextY, arm, found, seen);
  }

  #nameAt(x: number, y: number): string {
    const row = this.#rows[y] ?? '';
    const match = [...row.matchAll(/[A-Z]x+/g)].find(({ index, 0: name }) => index <= x && x < index + name.length);
    return match?.[0] ?? '?';
  }
}

describe('a graph drawn as text', () => {
  it('says exactly what needs what: its lines, read back, are the graph without what follows anyway', () => {
    let drawn = 0;
    let all = 0;
    fc.assert(
      fc.property(graphs, (nodes) => {
        all += 1;
        const picture = graphText(
          nodes.map((node) => ({ ...node, label: node.name })),
          1_000,
        );
        if (picture === undefined) return;
        drawn += 1;
        const direct = [...layersOf(nodes).before].flatMap(([name, needs]) => needs.map((need) => `${need}>${name}`));
        expect(new Reading(picture).edges().sort(), picture).toEqual(direct.sort());
      }),
      { numRuns: 2_000 },
    );
    // Some cannot be drawn without lines that say something wrong, and are listed instead.
    expect(drawn / all).toBeGreaterThan(0.9);
  });

  it('leaves out only lines that follow from others', () => {
    fc.assert(
      fc.property(graphs, (nodes) => {
        const { before } = layersOf(nodes);
        expect(closure(new Map(before))).toEqual(closure(new Map(nodes.map(({ name, needs }) => [name, needs]))));
      }),
    );
  });

  it('puts nobody above what it needs, and ends also for a circle', () => {
    fc.assert(
      fc.property(graphs, (nodes) => {
        const { layers } = layersOf(nodes);
        const depth = (name: string): number => layers.findIndex((layer) => layer.includes(name));
        for (const { name, needs } of nodes) for (const need of needs) expect(depth(need)).toBeLessThan(depth(name));
        expect(layers.flat().sort()).toEqual(nodes.map(({ name }) => name).sort());
      }),
    );
    expect(
      layersOf([
        { name: 'a', needs: ['b'] },
        { name: 'b', needs: ['a'] },
      ]).layers.flat(),
    ).toEqual(['a', 'b']);
  });
});

function closure(needs: ReadonlyMap<string, readonly string[]>): Record<string, readonly string[]> {
  const above = (name: string): string[] => (needs.get(name) ?? []).flatMap((need) => [need, ...above(need)]);
  return Object.fromEntries([...needs.keys()].map((name) => [name, [...new Set(above(name))].sort()]));
}
