/** Runs `count` tasks, at most `width` at a time, in order of their number. Fails with the first failure. */
export async function inFlight(count: number, width: number, task: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      await task(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, lane));
}
