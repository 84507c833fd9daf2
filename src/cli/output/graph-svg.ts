import type { Resource } from '../../../definitions/core/resource.ts';
import type { StepPhase, WorkflowRunStatus } from '../../../definitions/workflow-run/schema.ts';
import { escapeLine } from '../escape.ts';
import { type FlowStep, flowOf } from '../flows/flow.ts';
import { fold } from '../flows/fold.ts';
import { type Box, layOut, type Place } from '../flows/lay-out.ts';
import { phaseText } from './columns.ts';
import { detailOf, tookText } from './flow-marks.ts';
import { ICONS, STYLE } from './graph-svg-style.ts';

/** A part of the picture that knows its size and can be put anywhere. */
interface Figure {
  readonly width: number;
  readonly height: number;
  readonly at: (x: number, y: number) => string;
}

const CHAR = 7.25;
const SMALL_CHAR = 6.1;
const NAME_CHARS = 28;
const NODE_HEIGHT = 44;
const MARGIN = 24;
const GAP = 24;
const RANK_GAP = 40;
const LANE = 12;
const PAD = 14;
const TITLE = 24;
/** With the room beside it. */
const ICON = 24;
/** Steps with the same neighbours on both sides are put into one frame, from so many on. */
const FOLD_FROM = 6;
const MAX_COLUMNS = 8;

/** The graph as a picture of its own: no scripts, nothing from elsewhere, legible on light and on dark ground; foreign text is escaped. */
export function graphSvg(resource: Resource, now: number): string {
  const { steps, exit, undone } = flowOf(resource);
  const figure = column([
    graph(steps, now),
    ...(undone.length > 0 ? [frame('taken back', graph(undone, now))] : []),
    ...(exit.length > 0 ? [frame('at the end', graph(exit, now))] : []),
  ]);
  const title = titleOf(resource, now);
  const width = Math.ceil(Math.max(figure.width, title.length * CHAR * 1.1) + 2 * MARGIN);
  const height = Math.ceil(figure.height + 2 * MARGIN + TITLE + 8);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${xml(title)}">
<style>${STYLE}</style>
<rect class="ground" width="${width}" height="${height}"/>
<text class="title" x="${MARGIN}" y="${MARGIN + 14}">${xml(title)}</text>
${figure.at((width - figure.width) / 2, MARGIN + TITLE + 8)}</svg>
`;
}

function titleOf(resource: Resource, now: number): string {
  const { kind, metadata, status } = resource;
  const run = (status ?? {}) as Partial<WorkflowRunStatus>;
  const how = kind === 'WorkflowRun' ? [phaseText(resource), run.progress, run.duration ?? tookText(run, now)] : [];
  return [metadata.name, ...how.filter(Boolean)].join(' · ');
}

/** Lays steps out in layers, each as high as its highest. */
function graph(steps: readonly FlowStep[], now: number): Figure {
  const { boxes, figures } = folded(steps, now);
  const { layers, width } = layOut(boxes, { gap: GAP, lane: LANE });
  const figureOf = ({ name }: Place): Figure | undefined => (name === undefined ? undefined : figures.get(name));
  const heights = layers.map((layer) => Math.max(0, ...layer.map((place) => figureOf(place)?.height ?? 0)));
  const tops = heights.map((_, depth) => heights.slice(0, depth).reduce((sum, height) => sum + height + RANK_GAP, 0));
  const height = (tops.at(-1) ?? 0) + (heights.at(-1) ?? 0);
  return {
    width,
    height,
    at: (x, y) =>
      layers
        .flatMap((layer, depth) => {
          const middle = y + (tops[depth] ?? 0) + (heights[depth] ?? 0) / 2;
          const top = y + (tops[depth + 1] ?? 0);
          return layer.map((place) => {
            const figure = figureOf(place);
            const bottom = middle + (figure ? figure.height / 2 : 0);
            const edges = place.after.map((other) => {
              const target = figureOf(other);
              const end = target ? top + ((heights[depth + 1] ?? 0) - target.height) / 2 : top + (heights[depth + 1] ?? 0) / 2;
              return edge({ x: x + place.x, y: bottom }, { x: x + other.x, y: end }, y + (tops[depth] ?? 0) + (heights[depth] ?? 0), top);
            });
            return `${edges.join('')}${figure ? figure.at(x + place.x - figure.width / 2, middle - figure.height / 2) : ''}`;
          });
        })
        .join(''),
  };
}

/** Straight down to the end of its layer, a curve to the next one, straight down again. */
function edge(from: { x: number; y: number }, to: { x: number; y: number }, leave: number, enter: number): string {
  const bend = (leave + enter) / 2;
  return `<path class="edge" d="M${n(from.x)} ${n(from.y)}V${n(leave)}C${n(from.x)} ${n(bend)} ${n(to.x)} ${n(bend)} ${n(to.x)} ${n(enter)}V${n(to.y)}"/>\n`;
}

const n = (value: number): string => String(Math.round(value * 10) / 10);

/** Many steps that stand in one place of the order become one frame; everybody else stays alone. */
function folded(steps: readonly FlowStep[], now: number): { boxes: readonly Box[]; figures: ReadonlyMap<string, Figure> } {
  const figures = new Map<string, Figure>();
  const boxes = fold(steps, FOLD_FROM).map(({ name, needs, members }) => {
    const nodes = members.map((step) => node(step, now));
    const figure = nodes.length > 1 ? frame(`${nodes.length} steps`, grid(nodes)) : (nodes[0] as Figure);
    figures.set(name, figure);
    return { name, needs, width: figure.width };
  });
  return { boxes, figures };
}

function node(step: FlowStep, now: number): Figure {
  if (step.steps.length === 0) return leaf(step, now);
  return frame([step.name, step.isLoop ? 'for each' : '', detailOf(step, now)].filter(Boolean).join(' · '), graph(step.steps, now), step);
}

function leaf(step: FlowStep, now: number): Figure {
  const name = shorten(step.name);
  const { state } = step;
  const detail = [state ? state.phase.toLowerCase() : step.type, detailOf(step, now)].filter(Boolean).join(' · ');
  const left = state ? PAD + ICON : PAD;
  const width = Math.ceil(Math.max(name.length * CHAR, detail.length * SMALL_CHAR) + left + PAD + 2);
  const radius = step.type === 'suspend' ? NODE_HEIGHT / 2 : 8;
  return {
    width,
    height: NODE_HEIGHT,
    at: (x, y) =>
      `<g class="node ${classOf(state?.phase)}" transform="translate(${n(x)} ${n(y)})"><title>${xml(tooltip(step))}</title>` +
      (step.isLoop ? `<rect x="4" y="4" width="${width}" height="${NODE_HEIGHT}" rx="${radius}"/>` : '') +
      `<rect width="${width}" height="${NODE_HEIGHT}" rx="${radius}"/>` +
      (state ? `<g transform="translate(${PAD} 14)">${ICONS[state.phase]}</g>` : '') +
      `<text x="${left}" y="19">${xml(name)}</text><text class="small" x="${left}" y="35">${xml(detail)}</text></g>\n`,
  };
}

/** A titled box around a part of the graph; of a step with steps of its own, or of several that stand side by side. */
function frame(title: string, inner: Figure, step?: FlowStep): Figure {
  const shown = title.length > 60 ? `${title.slice(0, 59)}…` : title;
  const width = Math.ceil(Math.max(inner.width + 2 * PAD, shown.length * SMALL_CHAR + 2 * PAD));
  const height = inner.height + TITLE + 2 * PAD - 6;
  return {
    width,
    height,
    at: (x, y) =>
      `<g class="frame ${classOf(step?.state?.phase)}"><title>${xml(step ? tooltip(step) : title)}</title>` +
      `<rect x="${n(x)}" y="${n(y)}" width="${width}" height="${n(height)}" rx="10"/>` +
      `<text class="small" x="${n(x + PAD)}" y="${n(y + 19)}">${xml(shown)}</text></g>\n` +
      inner.at(x + (width - inner.width) / 2, y + TITLE + PAD - 6),
  };
}

function grid(figures: readonly Figure[]): Figure {
  const columns = Math.min(MAX_COLUMNS, Math.ceil(Math.sqrt(figures.length * 1.5)));
  const cell = Math.max(...figures.map(({ width }) => width)) + 12;
  const rows: Figure[][] = Array.from({ length: Math.ceil(figures.length / columns) }, (_, i) =>
    figures.slice(i * columns, (i + 1) * columns),
  );
  const heights = rows.map((row) => Math.max(...row.map(({ height }) => height)) + 12);
  const tops = heights.map((_, i) => heights.slice(0, i).reduce((sum, height) => sum + height, 0));
  return {
    width: columns * cell - 12,
    height: heights.reduce((sum, height) => sum + height, 0) - 12,
    at: (x, y) => rows.map((row, i) => row.map((figure, at) => figure.at(x + at * cell, y + (tops[i] ?? 0))).join('')).join(''),
  };
}

/** One below the other, joined by a broken line: first all of this, then that. */
function column(figures: readonly Figure[]): Figure {
  const width = Math.max(...figures.map((figure) => figure.width));
  const tops = figures.map((_, i) => figures.slice(0, i).reduce((sum, { height }) => sum + height + RANK_GAP, 0));
  return {
    width,
    height: (tops.at(-1) ?? 0) + (figures.at(-1)?.height ?? 0),
    at: (x, y) =>
      figures
        .map((figure, i) => {
          const top = y + (tops[i] ?? 0);
          const middle = n(x + width / 2);
          const line = i === 0 ? '' : `<path class="edge then" d="M${middle} ${n(top - RANK_GAP + 8)}V${n(top - 4)}"/>\n`;
          return `${line}${figure.at(x + (width - figure.width) / 2, top)}`;
        })
        .join(''),
  };
}

const shorten = (name: string): string => (name.length > NAME_CHARS ? `${name.slice(0, NAME_CHARS - 1)}…` : name);

const classOf = (phase: StepPhase | undefined): string => (phase ?? 'plain').toLowerCase();

function tooltip({ path, needs, state }: FlowStep): string {
  return [
    path,
    state ? [state.phase, state.reason].filter(Boolean).join(': ') : '',
    state?.message ?? '',
    needs.length > 0 ? `after ${needs.join(', ')}` : '',
  ]
    .filter(Boolean)
    .join('\n');
}

const NAMED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text as XML takes it: nothing in it can be markup, and no character that XML forbids. */
const xml = (text: string): string =>
  text
    .split('\n')
    .map(escapeLine)
    .join('\n')
    .replace(/[&<>"']/g, (char) => NAMED[char] ?? '')
    .replace(/[\p{Surrogate}\uFFFE\uFFFF]/gu, '\uFFFD');
