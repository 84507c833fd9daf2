import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Quantity, readCpus, readDuration, readMemory, readPercent } from './quantity.ts';

const MI = 1024 ** 2;

describe('readCpus', () => {
  it.each([
    { given: '500m', value: 0.5 },
    { given: '0.5', value: 0.5 },
    { given: 0.5, value: 0.5 },
    { given: 4, value: 4 },
    { given: '4000m', value: 4 },
    { given: '10m', value: 0.01 },
  ])('$given is $value cores', ({ given, value }) => expect(readCpus(given)).toEqual({ value }));

  it.each([
    { given: 'two', problem: 'must be cores such as 0.5 or "500m" (got "two")' },
    { given: '500M', problem: 'must be cores such as 0.5 or "500m" (got "500M")' },
    { given: -1, problem: 'must be cores such as 0.5 or "500m" (got -1)' },
    { given: 0, problem: 'must be between 0.01 and 10000 cores (got 0)' },
    { given: '1m', problem: 'must be between 0.01 and 10000 cores (got "1m")' },
  ])('$given is refused', ({ given, problem }) => expect(readCpus(given)).toEqual({ problem }));
});

describe('readMemory', () => {
  it.each([
    { given: '512Mi', value: 512 * MI },
    { given: '1Gi', value: 1024 * MI },
    { given: '1.5GiB', value: 1536 * MI },
    { given: '256m', value: 256 * MI },
    { given: '256mb', value: 256 * MI },
    { given: '16G', value: 16e9 },
    { given: 512 * MI, value: 512 * MI },
  ])('$given is $value bytes', ({ given, value }) => expect(readMemory(given)).toEqual({ value }));

  it.each([
    { given: '512MiX', problem: 'must be bytes with a unit such as "512Mi" or "1Gi" (got "512MiX")' },
    { given: '', problem: 'must be bytes with a unit such as "512Mi" or "1Gi" (got "")' },
    { given: 512, problem: 'must be at least 6Mi (got 512: without a unit it is bytes)' },
    { given: '1Mi', problem: 'must be at least 6Mi (got "1Mi")' },
    { given: '99999Pi', problem: 'must be less than 8Pi (got "99999Pi")' },
  ])('$given is refused', ({ given, problem }) => expect(readMemory(given)).toEqual({ problem }));
});

describe('readDuration', () => {
  it.each([
    { given: 30, value: 30 },
    { given: '500ms', value: 0.5 },
    { given: '1h30m', value: 5_400 },
    { given: '0s', value: 0 },
  ])('$given is $value seconds', ({ given, value }) => expect(readDuration(given)).toEqual({ value }));

  it.each(['soon', '5', '', '-1s', -1, '400d', Number.NaN])('%s is refused', (given) =>
    expect(readDuration(given)).toHaveProperty('problem'),
  );
});

describe('readPercent', () => {
  it.each([
    { given: '25%', value: 25 },
    { given: '0%', value: 0 },
    { given: '25', value: undefined },
    { given: '2.5%', value: undefined },
  ])('$given is $value', ({ given, value }) => expect(readPercent(given)).toBe(value));
});

describe('amounts', () => {
  it.each([readCpus, readMemory, readDuration])('are read or refused, never anything else: $name', (read) => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double(), fc.stringMatching(/^\d{1,5}(\.\d)?[a-zA-Z]{0,3}$/)), (given) => {
        const found: Quantity = read(given);
        return 'problem' in found ? found.problem.length > 0 : Number.isFinite(found.value) && found.value >= 0;
      }),
    );
  });
});
