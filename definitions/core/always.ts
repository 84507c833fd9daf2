import { z } from 'zod';

/** A check that is made even when others have failed, so that a person reads all errors at once. */
export const always = (check: (payload: z.core.ParsePayload) => void): z.core.$ZodCheck<unknown> =>
  z.superRefine<unknown>((_value, payload) => check(payload), { when: () => true });
