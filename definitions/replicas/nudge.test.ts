import { describe, expect, it } from 'vitest';
import type { Observation } from '../core/step.ts';
import { nudgeOf } from './nudge.ts';

const seen = (key: string, nudge?: number): Observation => ({
  key,
  generation: 1,
  at: 0,
  value: null,
  ...(nudge === undefined ? {} : { nudge }),
});

describe('nudgeOf', () => {
  it.each([
    { name: 'is what was kept with the answer', of: seen('sync/p/n1/@0/node', 3), nudge: 3 },
    { name: 'is what was kept, also when that is nothing', of: seen('image/Always/app/@5n2/node', 0), nudge: 0 },
    { name: 'is read from the key of an old look at a node', of: seen('sync/print/n12/@17.3/node'), nudge: 12 },
    { name: 'is read from the key of an old look at an image', of: seen('image/IfNotPresent/hub/app:1/@1700n4/node'), nudge: 4 },
    { name: 'is none for an old first look at an image', of: seen('image/IfNotPresent/hub/app:1/@0/node'), nudge: 0 },
    { name: 'takes no part of the name of an image for it', of: seen('image/Always/hub/@1n7/app/@0/node'), nudge: 0 },
    { name: 'is none for what was told unasked', of: seen('observed'), nudge: 0 },
    { name: 'is none for what nobody has looked at', of: undefined, nudge: 0 },
  ])('$name', ({ of, nudge }) => expect(nudgeOf(of)).toBe(nudge));
});
