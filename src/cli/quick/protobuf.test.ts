import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesField, fieldsOf, numberField } from './protobuf.ts';

describe('protobuf', () => {
  it('reads what it writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), fc.maxSafeNat(), fc.string(), (number, value, text) => {
        const message = Buffer.concat([numberField(number, value), bytesField(number + 1, text)]);
        const [first, second] = [...fieldsOf(message)];
        expect(first).toMatchObject({ number, value });
        expect(second?.number).toBe(number + 1);
        expect(second?.bytes.toString()).toBe(text);
      }),
    );
  });

  it('passes over numbers of fixed size', () => {
    expect([...fieldsOf(Buffer.from([0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x15, 1, 2, 3, 4, 0x18, 7]))].map(({ value }) => value)).toEqual([7]);
  });

  it('throws on what is no message, and never hangs', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          expect([...fieldsOf(Buffer.from(bytes))].length).toBeLessThanOrEqual(bytes.length);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});
