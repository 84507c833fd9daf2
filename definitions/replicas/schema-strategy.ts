import { z } from 'zod';
import { quote } from '../core/quote.ts';
import { readPercent } from './quantity.ts';
import { defaultStrategy, type Strategy } from './replicated.ts';
import { type Clash, complain, given } from './schema.ts';

export const strategyTypes = ['RollingUpdate', 'Recreate'] as const satisfies readonly Strategy['type'][];

const share = (most: number) =>
  z.union([z.int().min(0).max(10_000), z.string()]).superRefine((amount, context) => {
    if (typeof amount === 'number') return;
    const percent = readPercent(amount);
    if (percent !== undefined && percent <= most) return;
    complain(context, [{ path: [], message: `must be a number or a share from "0%" to "${most}%" (got ${quote(amount)})` }]);
  });

/** How one revision takes over from another. */
export const strategy = z
  .strictObject({
    type: z.enum(strategyTypes).default('RollingUpdate').describe('Recreate stops all old ones before it starts a new one'),
    rollingUpdate: z
      .strictObject({
        maxSurge: share(1_000).optional().describe('More than wished meanwhile: a number or a share, rounded up; 25%'),
        maxUnavailable: share(100).optional().describe('Fewer than wished meanwhile: a number or a share, rounded down; 25%'),
      })
      .optional(),
    order: z
      .enum(['start-first', 'stop-first'])
      .optional()
      .describe('start-first: never fewer than wished; stop-first: never more than wished'),
    minReadySeconds: z.int().min(0).max(86_400).default(defaultStrategy.minReadySeconds).describe('How long ready before it counts'),
    progressDeadlineSeconds: z
      .int()
      .min(1)
      .max(604_800)
      .default(defaultStrategy.progressDeadlineSeconds)
      .describe('How long it may stand still before it has failed'),
    onFailure: z.enum(['Pause', 'Rollback']).default(defaultStrategy.onFailure),
  })
  .superRefine((one, context) => complain(context, strategyClashes(one)));

export type StrategySpec = z.infer<typeof strategy>;

function strategyClashes(one: StrategySpec): Clash[] {
  const { type, order, rollingUpdate, minReadySeconds, progressDeadlineSeconds } = one;
  const clashes: Clash[] = [];
  if (minReadySeconds >= progressDeadlineSeconds) {
    const message = `must be more than minReadySeconds, ${minReadySeconds} (got ${progressDeadlineSeconds})`;
    clashes.push({ path: ['progressDeadlineSeconds'], message });
  }
  if (type === 'Recreate') {
    if (rollingUpdate) clashes.push({ path: ['rollingUpdate'], message: 'is only for type RollingUpdate' });
    if (order === 'start-first') clashes.push({ path: ['order'], message: 'start-first is only for type RollingUpdate' });
    return clashes;
  }
  const { maxSurge, maxUnavailable } = rollingUpdate ?? {};
  if (order === 'start-first') {
    if (isNone(maxSurge)) clashes.push({ path: ['rollingUpdate', 'maxSurge'], message: 'must be more than 0 when order is start-first' });
    if (isSome(maxUnavailable)) clashes.push({ path: ['rollingUpdate', 'maxUnavailable'], message: 'must be 0 when order is start-first' });
  } else if (order === 'stop-first') {
    if (isSome(maxSurge)) clashes.push({ path: ['rollingUpdate', 'maxSurge'], message: 'must be 0 when order is stop-first' });
    if (isNone(maxUnavailable))
      clashes.push({ path: ['rollingUpdate', 'maxUnavailable'], message: 'must be more than 0 when order is stop-first' });
  } else if (isNone(maxSurge) && isNone(maxUnavailable)) {
    clashes.push({ path: ['rollingUpdate'], message: 'maxSurge and maxUnavailable must not both be 0: nothing could ever be replaced' });
  }
  return clashes;
}

/** In normal form. */
export function strategyOf(spec: StrategySpec | undefined): Strategy {
  if (!spec) return defaultStrategy;
  const { type, order, rollingUpdate, minReadySeconds, progressDeadlineSeconds, onFailure } = spec;
  return {
    ...defaultStrategy,
    ...ORDERS[order ?? 'any'],
    ...given({ ...rollingUpdate }),
    type,
    minReadySeconds,
    progressDeadlineSeconds,
    onFailure,
  };
}

const ORDERS: Readonly<Record<'start-first' | 'stop-first' | 'any', Partial<Strategy>>> = {
  'start-first': { maxSurge: 1, maxUnavailable: 0 },
  'stop-first': { maxSurge: 0, maxUnavailable: 1 },
  any: {},
};

const isNone = (amount: number | string | undefined): boolean => amount !== undefined && Number.parseInt(String(amount), 10) === 0;
const isSome = (amount: number | string | undefined): boolean => amount !== undefined && !isNone(amount);
