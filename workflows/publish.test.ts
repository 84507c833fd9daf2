import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unindexedLabels } from '../definitions/core/indexed-labels.ts';
import { limits } from '../definitions/core/limits.ts';
import { ownerKeyOf } from '../definitions/core/owner-key.ts';
import { indexedLabels, ownerText } from './publish.ts';

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

describe('ownerText', () => {
  it.each(['short', 'n'.repeat(253)])('keeps the uid and is what children are looked for by: %s', (name) => {
    const owner = { kind: 'K'.repeat(63), name, uid: '01a1e24e-7f38-7e9a-a21a-4961fb5f0f2e' };
    expect(ownerText(owner)).toBe(ownerKeyOf(owner));
    expect(ownerText(owner)).toContain(owner.uid);
    expect(ownerText(owner).length).toBeLessThanOrEqual(250);
  });
});
