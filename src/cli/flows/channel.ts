import { half, type Place } from './lay-out.ts';

/**
 * The lines between two layers that belong together: everybody below needs exactly those above. Drawn as one bar, which says so without
 * a line for each pair.
 */
export interface Net {
  /** Columns where it leaves those above. */
  readonly from: readonly number[];
  /** Columns where it enters those below. */
  readonly to: readonly number[];
  /** Of its bar; undefined when it is one straight line. */
  readonly row: number | undefined;
}

export interface Channel {
  readonly nets: readonly Net[];
  /** How many rows the lines need. */
  readonly height: number;
}

interface Draft {
  readonly sources: readonly Place[];
  readonly targets: readonly Place[];
  readonly from: number[];
  readonly to: number[];
}

/** How far a line may leave the middle for the sake of being straight. */
const LEAN = 2;

/** Finds rows for all lines below a layer; undefined when they cannot be drawn without saying something wrong. */
export function route(layer: readonly Place[]): Channel | undefined {
  const drafts = netsBelow(layer);
  if (!leave(layer, drafts)) return undefined;
  for (const draft of drafts) straighten(draft, drafts);
  const bars = drafts.filter((draft) => !isStraight(draft));
  const rows = rowsOf(bars);
  if (!rows) return undefined;
  const nets = drafts.map(({ from, to }, index) => ({ from, to, row: rows.get(drafts[index] as Draft) }));
  return { nets, height: drafts.length === 0 ? 0 : Math.max(1, ...[...rows.values()].map((row) => row + 1)) };
}

/** Those below that need the same ones share a net. */
function netsBelow(layer: readonly Place[]): Draft[] {
  const ids = new Map(layer.map((place, index) => [place, index]));
  const groups = new Map<string, { sources: readonly Place[]; targets: Place[] }>();
  for (const target of new Set(layer.flatMap(({ after }) => after))) {
    const sources = [...target.before].sort((a, b) => (ids.get(a) ?? 0) - (ids.get(b) ?? 0));
    const key = sources.map((source) => ids.get(source)).join();
    const group = groups.get(key) ?? { sources, targets: [] };
    group.targets.push(target);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ sources, targets }) => ({ sources, targets, from: [], to: targets.map(({ x }) => x) }));
}

/** Every net leaves a place by a column of its own; false when a place is too narrow for that. */
function leave(layer: readonly Place[], drafts: readonly Draft[]): boolean {
  for (const place of layer) {
    const own = drafts.filter(({ sources }) => sources.includes(place)).sort((a, b) => middle(a.to) - middle(b.to));
    // The last column of a place may be empty: widths are odd, names need not be.
    const room = place.width - 1;
    if (own.length > Math.max(1, room)) return false;
    const pace = (own.length - 1) * 2 < room ? 2 : 1;
    const first = place.x - Math.ceil(((own.length - 1) * pace) / 2);
    for (const [i, draft] of own.entries()) draft.from.push(first + i * pace);
  }
  return true;
}

const middle = (columns: readonly number[]): number => columns.reduce((sum, x) => sum + x, 0) / columns.length;

/** A small step aside on the way from one to one is spared by leaving, or entering, a little beside the middle. */
function straighten({ sources, targets, from, to }: Draft, all: readonly Draft[]): void {
  const [source, target, out, into] = [sources[0], targets[0], from[0], to[0]];
  if (sources.length > 1 || targets.length > 1 || !source || !target || out === undefined || into === undefined) return;
  if (out === into || Math.abs(out - into) > LEAN) return;
  const fits = (place: Place, x: number): boolean => place.name !== undefined && Math.abs(x - place.x) < half(place.width);
  if (fits(target, out)) to[0] = out;
  else if (fits(source, into) && all.filter((other) => other.sources.includes(source)).length === 1) from[0] = into;
}

const isStraight = ({ from, to }: Draft): boolean => new Set([...from, ...to]).size === 1;

/** Rows for the bars: none touches another, and no line runs into one that it has nothing to do with. */
function rowsOf(bars: readonly Draft[]): ReadonlyMap<Draft, number> | undefined {
  const rows = new Map<Draft, number>();
  const above = (bar: Draft): readonly Draft[] => bars.filter((other) => other !== bar && other.from.some((x) => bar.to.includes(x)));
  const open = [...bars].sort((a, b) => left(a) - left(b));
  while (open.length > 0) {
    const next = open.findIndex((bar) => above(bar).every((other) => rows.has(other)));
    if (next < 0) return undefined;
    const [bar] = open.splice(next, 1) as [Draft];
    let row = Math.max(0, ...above(bar).map((other) => (rows.get(other) ?? 0) + 1));
    while ([...rows].some(([other, taken]) => taken === row && left(other) <= right(bar) && left(bar) <= right(other))) row += 1;
    rows.set(bar, row);
  }
  return rows;
}

const left = ({ from, to }: Draft): number => Math.min(...from, ...to);
const right = ({ from, to }: Draft): number => Math.max(...from, ...to);
