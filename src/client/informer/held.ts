const HOUR_MS = 3_600_000;

/** Keeps the process alive while somebody waits for the promise: the informer's own timers do not. */
export async function held<T>(promise: Promise<T>): Promise<T> {
  const timer = setInterval(() => {}, HOUR_MS);
  try {
    return await promise;
  } finally {
    clearInterval(timer);
  }
}
