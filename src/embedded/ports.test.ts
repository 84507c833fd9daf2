import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { choosePort, freePort, isPortFree } from './ports.ts';

describe('choosePort', () => {
  it('takes the first wish that is free, and another port when none is', async () => {
    const [taken, free] = [await freePort(), await freePort()];
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(taken, '127.0.0.1', resolve));
    try {
      expect(await isPortFree(taken)).toBe(false);
      expect(await choosePort([taken, free])).toBe(free);
      const other = await choosePort([taken]);
      expect(other).not.toBe(taken);
      expect(await isPortFree(other)).toBe(true);
    } finally {
      await new Promise((resolve) => holder.close(resolve));
    }
  });
});
