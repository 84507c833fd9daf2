import { defineConfig } from 'vitest/config';

const NEEDS_NO_SERVER = 'test/{architecture,bin,compose,lockfile}.test.ts';
const AT_ONCE = Number(process.env.COLONY_TEST_WORKERS ?? 2);

/** `unit` sits beside the code and needs nothing; `cross` is test/ and shares one real Temporal server. */
export default defineConfig({
  test: {
    pool: 'forks',
    setupFiles: process.env.CI ? ['test/support/same-stories.ts'] : [],
    // Whatever is waited for may come late on a busy machine: waiting long costs only those that fail.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{definitions,activities,workflows,src,bench}/**/*.test.ts', NEEDS_NO_SERVER],
          testTimeout: 20_000,
          maxWorkers: AT_ONCE,
          // Files share their modules: to load them anew for each took longer than the tests.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'cross',
          include: ['test/**/*.test.ts'],
          exclude: [NEEDS_NO_SERVER],
          globalSetup: ['test/support/global-setup.ts'],
          testTimeout: 400_000,
          hookTimeout: 120_000,
          // On CI one file at a time: two at once are quicker, but a machine of two cores then keeps no promise about time.
          maxWorkers: process.env.CI ? 1 : AT_ONCE,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
