import { z } from 'zod';
import { digestOf } from '../core/digest.ts';
import { checkWith } from '../core/issues/index.ts';
import type { Command, Effect } from '../core/kind.ts';
import type { JsonObject, Metadata } from '../core/resource.ts';
import type { Replicated } from './replicated.ts';

export interface Undoing<Spec> {
  readonly replicatedOf: (spec: Spec, metadata: Metadata) => Replicated;
  /** The earlier spec with all that no template is made of as it is now: how many, where, and how they are replaced. */
  readonly keeping: (current: Spec, earlier: Spec) => Spec;
}

const undoArgs = z.strictObject({ to: z.int().min(1).optional() });

/**
 * Takes a rollout back: to the last template that differs from the one in force, or to that of the generation asked for.
 *
 * Guarantees: only the template changes, so that a scaling since then stays.
 */
export function undoCommand<Spec>({ replicatedOf, keeping }: Undoing<Spec>): Command<Spec> {
  return (view, args, { revisions = [] }) => {
    const checked = checkWith(undoArgs, args, 'args');
    if ('issues' in checked) return checked;
    const { to } = checked.value;
    const printOf = (spec: Spec): string => digestOf(replicatedOf(spec, view.metadata).template);
    const isOther = ({ spec }: { readonly spec: JsonObject }): boolean => printOf(spec as Spec) !== printOf(view.spec);
    const target = to === undefined ? revisions.findLast(isOther) : revisions.find(({ generation }) => generation === to);
    const kept = revisions.map(({ generation }) => generation).join(', ') || 'none';
    if (!target && to !== undefined)
      return { issues: [{ path: 'args.to', message: `no such revision is kept; kept generations: ${kept}` }] };
    if (!target) return refuse(`there is no rollout to undo: no generation that is kept (${kept}) has another template`);
    if (!isOther(target)) return refuse(`generation ${target.generation} has the template that is in force: nothing would change`);
    return { spec: keeping(view.spec, target.spec as Spec), answer: { rolledBackTo: target.generation } };
  };
}

const refuse = <Spec>(message: string): Effect<Spec> => ({ refuse: { type: 'Conflict', message } });
