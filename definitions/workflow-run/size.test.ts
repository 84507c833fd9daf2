import { describe, expect, it } from 'vitest';
import { jsonBytes } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import type { JsonObject } from '../core/resource.ts';
import { workflowRun } from './index.ts';
import { fn, Stage } from './test-double/stage.ts';

const PATIENCE_MS = 3_000;

/** Layers of steps, each of which speaks of one before it and depends on two. */
function layered(layers: number, width: number): JsonObject[] {
  return Array.from({ length: layers * width }, (_, index) => {
    const layer = Math.floor(index / width);
    const [one, two] = [index - width, layer * width - 1];
    return fn(`s${index}`, {
      ...(layer === 0 ? {} : { dependsOn: [`s${one}`, `s${two}`], when: `steps.s${one}.outputs.n >= 0` }),
      functionSpec: {
        funcName: 'work',
        conditions: { executorType: 'q' },
        kwargs: layer === 0 ? { n: '${params.n}' } : { from: `\${steps.s${one}.outputs.n}`, of: 'x-${params.n}' },
      },
    });
  });
}

/** In ms of the processor, the best of several until one is good enough: others use this machine, too, and code warms up. */
function fastest(stage: Stage, enough: number): number {
  const { view } = stage;
  const text = JSON.stringify(view);
  let best = Number.POSITIVE_INFINITY;
  for (const until = Date.now() + PATIENCE_MS; best >= enough && Date.now() < until; ) {
    const fresh = JSON.parse(text) as typeof view;
    const from = process.cpuUsage();
    workflowRun.plan(fresh);
    const { user, system } = process.cpuUsage(from);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}

/** The first so many steps have succeeded. */
function land(stage: Stage, count: number): void {
  for (let index = 0; index < count; index += 1) {
    const about = `step/s${index}`;
    stage.air.delete(about);
    stage.observed[about] = { key: `${about}/a1`, generation: 1, at: stage.now, value: { n: index } };
  }
  stage.pass();
}

describe('large runs', () => {
  it.each([
    { layers: 10, width: 10, most: 5 },
    { layers: 10, width: 100, most: 50 },
    { layers: 1_000, width: 1, most: 50 },
    { layers: 1, width: 1_000, most: 50 },
  ])('$layers layers of $width steps are planned in less than $most ms at any point', ({ layers, width, most }) => {
    const stage = new Stage({ params: { n: 1 }, steps: layered(layers, width) });
    for (const share of [0, 0.5, 0.9]) {
      land(stage, layers * width * share);
      expect(fastest(stage, most)).toBeLessThan(most);
    }
  });

  it.each([4, 63])('of a thousand steps with names of %i letters fit into the status, with long outputs and messages', (letters) => {
    const named = (index: number) => `s${index}`.padEnd(letters, 'x');
    const stage = new Stage({ failFast: false, parallelism: 300, steps: Array.from({ length: 1_000 }, (_, index) => fn(named(index))) });
    const at = { generation: 1, at: stage.now };
    for (let index = 0; index < 600; index += 1) {
      const about = `step/${named(index)}`;
      const key = `${about}/a1`;
      stage.air.delete(about);
      if (index % 3 > 0) stage.observed[about] = { key, ...at, value: { n: 1, text: 'y'.repeat(2_000) } };
      else stage.failing[about] = { key, reason: 'Error', message: 'x'.repeat(900), count: 1, since: stage.now, retryAt: 0 };
    }
    stage.pass();
    expect(stage.status).toMatchObject({ phase: 'Running', progress: '400/1000' });
    expect(stage.flying).toHaveLength(300);
    expect(jsonBytes(stage.status)).toBeLessThan(limits.statusBytes);
    expect(Object.keys(stage.steps).length + Number(stage.status?.stepsCut ?? 0)).toBe(1_000);
    const before = stage.log.length;
    stage.pass();
    expect(stage.log).toHaveLength(before);
  });
});
