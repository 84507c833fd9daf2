import { z } from 'zod';
import { checkWith } from '../core/issues/index.ts';
import type { Command } from '../core/kind.ts';
import { hasFailed, RELEASE, type Word } from './release.ts';
import type { ApplicationSpec, ApplicationStatus } from './schema.ts';

const noArgs = z.strictObject({});

/** Tries a failed release again, as if its spec had just come. */
const retry: Command<ApplicationSpec> = (view, args, { now }) => {
  const checked = checkWith(noArgs, args, 'args');
  if ('issues' in checked) return checked;
  const { release } = (view.status ?? {}) as Partial<ApplicationStatus>;
  if (!release || release.generation !== view.metadata.generation || !hasFailed(release)) {
    const is = release?.generation === view.metadata.generation ? release.phase : 'Progressing';
    return {
      refuse: {
        type: 'Conflict',
        message: `the release of generation ${view.metadata.generation} is ${is}: only a failed one can be tried again`,
      },
    };
  }
  const word: Word = { retriedAt: now };
  return { remember: { [RELEASE]: word }, answer: { generation: release.generation } };
};

export const commands: Readonly<Record<string, Command<ApplicationSpec>>> = { retry };
