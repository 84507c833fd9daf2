import { run } from '../run.ts';
import type { FakeColony } from './colony.ts';
import { type FakeIo, fakeIo } from './io.ts';

/** What one command line did. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line against a colony in memory. */
export async function colonyCli(colony: FakeColony, argv: readonly string[], options: Parameters<typeof fakeIo>[0] = {}): Promise<Ran> {
  const io: FakeIo = fakeIo(options);
  const code = await run(argv, io, async () => colony);
  return { code, out: io.stdout(), err: io.stderr() };
}
