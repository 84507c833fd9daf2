import { z } from 'zod';

export const stepCacheSpec = z.strictObject({
  key: z.string().min(1).max(512).describe('Under which steps ask for it'),
  value: z.unknown().describe('The result of the step that was done'),
  expiresAt: z.iso.datetime({ offset: true }).describe('Then it is forgotten'),
});

export type StepCacheSpec = z.infer<typeof stepCacheSpec>;
