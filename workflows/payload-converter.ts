import { defaultPayloadConverter, type PayloadConverter } from '@temporalio/common';

/** Stands where a payload came that nobody here can read: broken JSON, an encoding or a codec we do not have. */
export class Unreadable {
  constructor(readonly reason: string) {}
}

/**
 * The SDK's own converter, but what it cannot read becomes `Unreadable` instead of an exception: that would fail the task of the
 * workflow for ever, so that one bad signal, or one odd answer of an executor, would end the life of a resource.
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value, context, hint) => defaultPayloadConverter.toPayload(value, context, hint),
  fromPayload: <T>(...given: Parameters<PayloadConverter['fromPayload']>): T => {
    try {
      return defaultPayloadConverter.fromPayload<T>(...(given as Parameters<typeof defaultPayloadConverter.fromPayload<T>>));
    } catch (error) {
      return new Unreadable(error instanceof Error ? error.message.slice(0, 200) : 'unknown reason') as T;
    }
  },
};
