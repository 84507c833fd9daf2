import { z } from 'zod';
import { checkWith } from '../core/issues/index.ts';
import type { Command } from '../core/kind.ts';
import { ROLLOUT } from './lanes.ts';
import type { ReplicasFacts } from './report.ts';
import { hasFailed, isPaused } from './rollout.ts';

/** What these commands write in a spec. */
interface Commanded {
  readonly replicas: number;
  readonly restartedAt?: string | undefined;
  readonly paused?: boolean | undefined;
}

const noArgs = z.strictObject({});
const restartArgs = z.strictObject({ at: z.iso.datetime({ offset: true }).optional() });

/** The verbs that every kind with replicas has: scale, restart, pause and resume. */
export function replicasCommands<Spec extends Commanded>(maxReplicas: number): Readonly<Record<string, Command<Spec>>> {
  const scaleArgs = z.strictObject({ replicas: z.int().min(0).max(maxReplicas) });
  return {
    scale: (view, args) => {
      const checked = checkWith(scaleArgs, args, 'args');
      if ('issues' in checked) return checked;
      const { replicas } = checked.value;
      return { spec: { ...view.spec, replicas }, answer: { replicas, before: view.spec.replicas } };
    },

    /** Every instance is replaced, as after a change of the template. */
    restart: (view, args, { now }) => {
      const checked = checkWith(restartArgs, args, 'args');
      if ('issues' in checked) return checked;
      const { at: restartedAt = new Date(now).toISOString() } = checked.value;
      return { spec: { ...view.spec, restartedAt }, answer: { restartedAt } };
    },

    pause: (view, args, { now }) => {
      const checked = checkWith(noArgs, args, 'args');
      if ('issues' in checked) return checked;
      return { remember: { [ROLLOUT]: { paused: true, at: now } }, answer: { paused: true, changed: !isPaused(view, view.spec.paused) } };
    },

    /** Also takes back what the spec says of pausing, and lets an update that failed try again. */
    resume: (view, args, { now }) => {
      const checked = checkWith(noArgs, args, 'args');
      if ('issues' in checked) return checked;
      const spec = view.spec.paused ? { spec: { ...view.spec, paused: false } } : {};
      const changed = isPaused(view, view.spec.paused) || hasFailed(view.status as Partial<ReplicasFacts> | undefined);
      return { ...spec, remember: { [ROLLOUT]: { paused: false, at: now } }, answer: { paused: false, changed } };
    },
  };
}
