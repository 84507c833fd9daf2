import { z } from 'zod';
import { createDecide } from '../../activities/decisions/decide.ts';
import { defaultRollover, defaultTuning } from '../../activities/index.ts';
import type { DecideRequest, Decision, RolloverLimits } from '../../definitions/core/decision.ts';
import type { Kind } from '../../definitions/core/kind.ts';
import { planHandled } from '../../definitions/handled/plan.ts';

const handler = { executorType: 'makers', functionName: 'reconcile_widget' };

/** A user-defined kind with a handler, as `kindOf` would make it from its definition. */
export const widget: Kind = {
  group: 'example.com',
  version: 'v1',
  names: { kind: 'Widget', listKind: 'WidgetList', singular: 'widget', plural: 'widgets', shortNames: [] },
  scope: 'Namespaced',
  spec: z.strictObject({ size: z.int().min(0), color: z.string().default('blue') }),
  plan: (view) => planHandled(handler, view),
  hasCleanUp: true,
};

export const widgetId = 'widgets.example.com/default/w1';

/** The real decider, with the widget as the only registered definition. */
export function widgetDecider(rollover: Partial<RolloverLimits> = {}): (request: DecideRequest) => Promise<Decision> {
  return createDecide({
    findKind: async () => ({
      kind: widget,
      definition: {
        group: 'example.com',
        version: 'v1',
        kind: 'Widget',
        plural: 'widgets',
        scope: 'Namespaced',
        uid: 'd',
        generation: 1,
        handler,
      },
    }),
    tuning: defaultTuning,
    rollover: { ...defaultRollover, ...rollover },
  });
}
