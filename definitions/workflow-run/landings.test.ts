import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Stage } from './test-double/stage.ts';

const call = (name: string, dependsOn: readonly string[] = [], more: object = {}) => ({
  name,
  dependsOn,
  functionSpec: { funcName: 'f', conditions: { executorType: 'x' } },
  ...more,
});

const landings = (steps: readonly object[], more: object = {}) => new Stage({ steps, ...more }).plan.landings;

describe('how many landings a run waits for', () => {
  it('is all of those that the next step needs', () => {
    expect(landings([call('a'), call('b'), call('c'), call('d', ['a', 'b', 'c'])])).toBe(3);
    expect(landings([call('a'), call('b'), call('c'), call('d', ['a', 'b'])])).toBe(2);
    expect(landings([call('a'), call('b'), call('c')])).toBe(3);
    expect(landings([call('a'), call('b'), call('c', ['a', 'b']), call('d', ['c'])])).toBe(2);
  });

  it('is one where it is not plain to see', () => {
    expect(landings([call('a'), call('b'), { ...call('c'), dependsOn: undefined, depends: 'a.Failed || b.Failed' }])).toBe(1);
    expect(landings([call('a'), call('b'), call('each', [], { withItems: [1, 2] })])).toBe(1);
    expect(landings([call('a'), call('b'), { name: 'gate', suspend: {} }])).toBe(1);
    expect(landings([call('a'), call('b'), call('c')], { parallelism: 2 })).toBe(1);
    expect(landings([call('a'), call('b', [], { cache: { key: 'k' } })])).toBe(1);
  });

  it('is never too many: nothing begins before so many have landed', () => {
    const graph = fc.array(fc.array(fc.nat(20), { maxLength: 4 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(graph, fc.infiniteStream(fc.nat(100)), (needs, dice) => {
        const steps = needs.map((of, index) =>
          call(
            `s${index}`,
            [...new Set(of.filter((one) => one < index))].map((one) => `s${one}`),
          ),
        );
        const stage = new Stage({ steps });
        let left = stage.plan.landings ?? 1;
        while (stage.flying.length > 0) {
          const before = stage.log.length;
          const phase = stage.phase;
          const flying = stage.flying;
          stage.land(flying[(dice.next().value as number) % flying.length] as string);
          left -= 1;
          if (left > 0) expect([stage.log.length, stage.phase]).toEqual([before, phase]);
          else left = stage.plan.landings ?? 1;
        }
        expect(stage.phase).toBe('Succeeded');
      }),
      { numRuns: 300 },
    );
  });
});
