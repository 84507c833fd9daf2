import { describe, expect, it } from 'vitest';
import { ownerKeyOf } from './owner-key.ts';

describe('ownerKeyOf', () => {
  it.each(['short', 'n'.repeat(253)])('keeps the uid and fits into a search attribute: %s', (name) => {
    const owner = { kind: 'K'.repeat(63), name, uid: '01a1e24e-7f38-7e9a-a21a-4961fb5f0f2e' };
    expect(ownerKeyOf(owner)).toContain(owner.uid);
    expect(ownerKeyOf(owner).length).toBeLessThanOrEqual(250);
  });
});
