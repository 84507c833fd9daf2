import { pause } from '../client/pause.ts';

export interface Touch {
  /** Fails when Temporal does not answer. */
  readonly ask: () => Promise<unknown>;
  /** The address that this connection goes to, and where Temporal is said to be now. */
  readonly address: string;
  readonly locate: () => string;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
  readonly everyMs?: number;
}

const EVERY_MS = 5_000;

/**
 * Tells of a Temporal that goes away and of its return: a worker asks for work again and again and says nothing of it.
 *
 * Fails when Temporal is somewhere else by now, because a connection never finds it there.
 */
export async function stayInTouch({ ask, address, locate, say, signal, everyMs = EVERY_MS }: Touch): Promise<void> {
  let isLost = false;
  for (;;) {
    await pause(everyMs, { signal });
    if (signal.aborted) return;
    const place = locate();
    if (place !== address) {
      // Now, because a worker takes half a minute to take leave of a server that is gone.
      say(`Temporal is at ${place} now, no longer at ${address}; going there`);
      throw new Error('Temporal has moved');
    }
    const answers = await ask().then(
      () => true,
      () => false,
    );
    if (signal.aborted) return;
    if (isLost === answers)
      say(answers ? `Temporal answers again at ${address}` : `lost Temporal: nobody answers at ${address}; trying again`);
    isLost = !answers;
  }
}
