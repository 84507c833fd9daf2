import { describe, expect, it } from 'vitest';
import { rulesOf, type Schema, typeOf } from './schema-words.ts';

describe('rulesOf', () => {
  it.each<{ schema: Schema; says: string }>([
    { schema: { minimum: 0, maximum: 9 }, says: '≥ 0; ≤ 9' },
    { schema: { minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false }, says: '> 0; ≤ 9' },
    { schema: { exclusiveMinimum: 0, exclusiveMaximum: 1 }, says: '> 0; < 1' },
    { schema: { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }, says: '' },
    { schema: { minLength: 1, maxLength: 8 }, says: '≥ 1 character; ≤ 8 characters' },
    { schema: { minItems: 2, maxItems: 1, uniqueItems: true }, says: '≥ 2 items; ≤ 1 item; no item twice' },
    { schema: { minProperties: 1, maxProperties: 3 }, says: '≥ 1 entry; ≤ 3 entries' },
    { schema: { multipleOf: 5, format: 'int32' }, says: 'multiple of 5; int32' },
    { schema: { enum: ['a', 1], default: 'a', description: 'What.' }, says: '"a" | 1; default "a"; What.' },
    { schema: { 'x-immutable': true, default: 1 }, says: 'cannot be changed once it is set; default 1' },
    { schema: { 'x-kubernetes-validations': [{ rule: 'oldSelf == self' }] }, says: 'cannot be changed once it is set' },
    { schema: { 'x-kubernetes-validations': [{ rule: 'self > 1' }] }, says: '' },
    { schema: { const: null, pattern: '^a' }, says: 'null; /^a/' },
  ])('$says', ({ schema, says }) => expect(rulesOf(schema)).toBe(says));
});

describe('typeOf', () => {
  it.each<{ schema: Schema; type: string }>([
    { schema: {}, type: 'any' },
    { schema: { 'x-kubernetes-int-or-string': true }, type: 'integer|string' },
    { schema: { format: 'int-or-string', type: 'string' }, type: 'integer|string' },
    { schema: { type: 'array', items: { 'x-kubernetes-int-or-string': true } }, type: '[]integer|string' },
    { schema: { type: 'string', nullable: true }, type: 'string|null' },
    { schema: { type: ['string', 'null'], nullable: true }, type: 'string|null' },
    { schema: { nullable: true }, type: 'any' },
    { schema: { type: 'array', items: { type: 'string' }, nullable: true }, type: '[]string|null' },
    { schema: { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'string' }] }, type: 'string|integer' },
    { schema: { oneOf: [{ type: 'string' }, { type: 'object' }] }, type: 'string|object' },
    { schema: { type: 'object', additionalProperties: { type: 'integer' } }, type: 'map of integer' },
  ])('$type', ({ schema, type }) => expect(typeOf(schema)).toBe(type));
});
