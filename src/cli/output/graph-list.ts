import type { FlowStep } from '../flows/flow.ts';
import { layersOf } from '../flows/layers.ts';
import { renderTable } from './table.ts';

const MAX_NEEDS = 3;

/** Steps layer by layer, each with those that it comes after: for graphs that are too large to be drawn. */
export function graphList(steps: readonly FlowStep[], labelOf: (step: FlowStep) => string): string {
  const byName = new Map(steps.map((step) => [step.name, step]));
  const { layers, before } = layersOf(steps);
  const rows = layers.flatMap((layer, depth) =>
    layer.map((name, index) => [
      index === 0 ? String(depth + 1) : '',
      labelOf(byName.get(name) as FlowStep),
      afterText(before.get(name) ?? []),
    ]),
  );
  return renderTable(['', '', ''], rows, { headers: false, gap: '  ' });
}

function afterText(names: readonly string[]): string {
  if (names.length === 0) return '';
  const more = names.length - MAX_NEEDS;
  return `after ${names.slice(0, MAX_NEEDS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
