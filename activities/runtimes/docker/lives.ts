/** The times that an engine tells of a container. */
export interface Life {
  readonly Status: string;
  readonly StartedAt: string;
  readonly FinishedAt: string;
}

/** How much earlier than the engine says the first words of a life may come: it looks at its clock after the start. */
const EARLY_MS = 100;
/** How much later than the end the last words may be written down. */
const LATE_MS = 100;

/**
 * The moment between a container's current (or last) life and the one before, as the engine's log takes it: seconds with a fraction.
 * Undefined: it never lived before. Its log is one file for all its lives.
 */
export function lifeBoundary({ Status, StartedAt, FinishedAt }: Life): string | undefined {
  const [started, finished] = [millis(StartedAt), millis(FinishedAt)];
  if (started === undefined) return undefined;
  const isOver = Status === 'exited' || Status === 'dead';
  // Running: the end that is known is that of the life before.
  if (!isOver && finished === undefined) return undefined;
  const moment = isOver ? started - EARLY_MS : finished! + Math.min(LATE_MS, Math.max(0, started - finished!) / 2);
  return seconds(moment);
}

/** Just after the last words of a life that ended then. */
export const afterEnd = (finishedAt: string): string => seconds(Date.parse(finishedAt) + LATE_MS);

const seconds = (moment: number): string => (moment / 1000).toFixed(3);

function millis(text: string): number | undefined {
  const time = text.startsWith('0001-') ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
