import { z } from 'zod';
import { amountOf, readDuration } from './quantity.ts';
import { defaultRestart, type RestartRule } from './replicated.ts';
import { type Clash, complain } from './schema.ts';
import { quantity } from './schema-resources.ts';

/** In the spelling of Kubernetes and in that of Docker. */
export const restartPolicy = z.enum(['Always', 'OnFailure', 'Never', 'always', 'unless-stopped', 'on-failure', 'no']);

type RestartPolicy = z.infer<typeof restartPolicy>;

const duration = quantity(readDuration);

/** What becomes of an instance that has ended. */
export const restart = z
  .strictObject({
    policy: restartPolicy.optional().describe('Always'),
    backoff: z
      .strictObject({
        initial: duration.optional().describe('Before the second restart in a row, doubled each time; 1s'),
        max: duration.optional().describe('Never longer than this; 5m'),
      })
      .optional(),
    resetAfter: duration.optional().describe('One that ran so long does not crash again and again; 10m'),
  })
  .superRefine((one, context) => {
    const { firstSeconds, maxSeconds } = restartOf(one);
    if (firstSeconds > maxSeconds) complain(context, [{ path: ['backoff', 'max'], message: 'must not be less than backoff.initial' }]);
  });

export type RestartSpec = z.infer<typeof restart>;

/** A policy that is given twice must be the same twice. */
export function restartClashes(policy: RestartPolicy | undefined, rule: RestartSpec | undefined, path: Clash['path']): Clash[] {
  if (policy === undefined || rule?.policy === undefined || POLICIES[policy] === POLICIES[rule.policy]) return [];
  return [{ path, message: `must be the same as restart.policy, ${rule.policy}, or left out (got ${policy})` }];
}

/** In normal form. */
export function restartOf(rule: RestartSpec | undefined, policy?: RestartPolicy): RestartRule {
  const named = rule?.policy ?? policy;
  const secondsOf = (amount: string | number | undefined, fallback: number): number =>
    amount === undefined ? fallback : amountOf(readDuration(amount));
  const firstSeconds = secondsOf(rule?.backoff?.initial, defaultRestart.firstSeconds);
  return {
    policy: named === undefined ? defaultRestart.policy : POLICIES[named],
    firstSeconds,
    maxSeconds: secondsOf(rule?.backoff?.max, Math.max(defaultRestart.maxSeconds, firstSeconds)),
    resetSeconds: secondsOf(rule?.resetAfter, defaultRestart.resetSeconds),
  };
}

const POLICIES: Readonly<Record<RestartPolicy, RestartRule['policy']>> = {
  Always: 'Always',
  always: 'Always',
  'unless-stopped': 'Always',
  OnFailure: 'OnFailure',
  'on-failure': 'OnFailure',
  Never: 'Never',
  no: 'Never',
};
