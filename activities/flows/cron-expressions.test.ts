import { expect, it } from 'vitest';
import { cronExpressionsOf } from './cron-expressions.ts';

it.each([
  ['0 2 * * *', ['0 2 * * *']],
  ['  0   2 * * 1-5 ', ['0   2 * * 1-5']],
  ['0 2 1 * ?', ['0 2 1 * ?']],
  ['@daily', ['@daily']],
  ['30 6 1,15 * 5', ['30 6 1,15 * *', '30 6 * * 5']],
])('%s', (cron, expected) => {
  expect(cronExpressionsOf(cron)).toEqual(expected);
});
