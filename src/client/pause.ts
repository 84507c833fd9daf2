/** Waits; comes back early, without an error, when the signal aborts. `idle` timers do not keep the process alive. */
export function pause(
  ms: number,
  { signal, idle = false }: { readonly signal?: AbortSignal | undefined; readonly idle?: boolean } = {},
): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    if (idle) timer.unref();
    signal?.addEventListener('abort', done);
  });
}
