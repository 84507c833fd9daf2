import { z } from 'zod';
import { checkWith } from '../core/issues/index.ts';
import type { Command } from '../core/kind.ts';
import type { WorkflowSpec } from './schema.ts';

const noArgs = z.strictObject({});

/** Whether it runs by itself stands in the spec, so that everybody sees it there. */
const setSuspend =
  (suspend: boolean): Command<WorkflowSpec> =>
  (view, args) => {
    const checked = checkWith(noArgs, args, 'args');
    if ('issues' in checked) return checked;
    return { spec: { ...view.spec, suspend }, answer: { paused: suspend } };
  };

export const commands: Readonly<Record<string, Command<WorkflowSpec>>> = { pause: setSuspend(true), resume: setSuspend(false) };
