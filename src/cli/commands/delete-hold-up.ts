import { inTheAir } from '../output/pending.ts';
import type { Selected } from '../selection.ts';

const FIRST_LOOK_MS = 1_000;
const LOOK_MS = 2_000;

/** What keeps a resource from going: work that is under way or waits for somebody, or what its conditions say. Undefined when nobody knows. */
export async function holdUpOf({ resources, ref }: Selected): Promise<string | undefined> {
  try {
    const work = inTheAir(await resources.pending(ref));
    if (work) return work;
    const conditions = (await resources.get(ref)).status?.conditions ?? [];
    const blocked = conditions.find(({ type, status }) => type === 'DeletionBlocked' && status === 'True');
    const failing = conditions.find(({ type, reason }) => type === 'Ready' && reason !== 'Deleting');
    const stalled = failing && conditions.find(({ type, status }) => type === 'Stalled' && status === 'True');
    const said = blocked ? [blocked] : [failing, stalled];
    const texts = said.flatMap((condition) => condition?.message ?? []);
    return texts.length > 0 ? texts.join(' ').replace(/\.$/, '') : undefined;
  } catch {
    return undefined; // a courtesy to whoever waits; the waiting itself says what goes wrong
  }
}

/** Looks now and then what the one that is waited for waits for itself, while the work goes on. */
export async function withHoldUp<T>(current: () => Selected | undefined, work: (said: () => string | undefined) => Promise<T>): Promise<T> {
  let said: string | undefined;
  let timer: NodeJS.Timeout;
  let isOver = false;
  const look = async (): Promise<void> => {
    const one = current();
    said = one && (await holdUpOf(one));
    if (!isOver) timer = setTimeout(look, LOOK_MS);
  };
  timer = setTimeout(look, FIRST_LOOK_MS);
  try {
    return await work(() => said);
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}
