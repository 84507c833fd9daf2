import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../limits.ts';
import { indexedLabels, unindexedLabels } from './indexed-labels.ts';

const letters = fc.string({ unit: fc.constantFrom(...'abcxyz019-_.'), minLength: 1, maxLength: 63 });
const anyLabels = fc.dictionary(fc.oneof(letters, fc.string({ maxLength: 300, unit: 'grapheme' })), letters, { maxKeys: 64 });

describe('indexedLabels', () => {
  it('fits into a search attribute, and leaves out exactly what the condition of the resource names', () => {
    fc.assert(
      fc.property(anyLabels, (labels) => {
        const indexed = indexedLabels(labels);
        expect(new TextEncoder().encode(JSON.stringify(indexed)).length).toBeLessThanOrEqual(limits.searchAttributeBytes);
        const kept = Object.keys(labels).filter((key) => !unindexedLabels(labels).includes(key));
        expect(indexed).toEqual(kept.sort().map((key) => `${key}=${labels[key]}`));
      }),
    );
  });

  it('leaves nothing out of what fits', () => {
    expect(indexedLabels({ b: '2', a: '1', c: '' })).toEqual(['a=1', 'b=2', 'c=']);
  });
});
