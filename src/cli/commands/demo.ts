import type { Context } from '../context.ts';
export async function run(_context: Context): Promise<number> {
  return 0;
}
