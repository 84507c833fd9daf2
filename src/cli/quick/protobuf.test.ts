import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesField, Fields, numberField } from './protobuf.ts';

function fieldsOf(message: Buffer) {
  const found: { number: number; value: number; text: string }[] = [];
  for (const field = new Fields(message); field.next(); ) found.push({ number: field.number, value: field.value, text: field.text() });
  return found;
}

describe('protobuf', () => {
  it('reads what it writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), fc.maxSafeNat(), fc.string(), (number, value, text) => {
        const message = Buffer.concat([numberField(number, value), bytesField(number + 1, text)]);
        expect(fieldsOf(message)).toEqual([
          { number, value, text: '' },
          { number: number + 1, value: 0, text: Buffer.from(text).toString() },
        ]);
      }),
    );
  });

  it('passes over numbers of fixed size', () => {
    expect(fieldsOf(Buffer.from([0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x15, 1, 2, 3, 4, 0x18, 7])).map(({ value }) => value)).toEqual([7]);
  });

  it('reads a message within a message, and not beyond it', () => {
    const outer = new Fields(Buffer.concat([bytesField(1, bytesField(2, 'in')), bytesField(3, 'out')]));
    outer.next();
    const inner = outer.inside();
    expect([inner.next(), inner.text(), inner.next()]).toEqual([true, 'in', false]);
    expect([outer.next(), outer.text(), outer.next()]).toEqual([true, 'out', false]);
  });

  it('throws on what is no message, and never hangs', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          expect(fieldsOf(Buffer.from(bytes)).length).toBeLessThanOrEqual(bytes.length);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});
