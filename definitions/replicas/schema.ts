import { z } from 'zod';
import { quote } from '../core/quote.ts';
import type { PullPolicy } from '../core/template.ts';

/** What kinds with replicas have in common when people write them; each part stands in a file of its own beside this one. */

/** A complaint about a value that fits by itself, but not to another one. */
export interface Clash {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Says clashes as issues of the value that is being checked; what looks at more than it then is not asked any more. */
export function complain(context: z.core.$RefinementCtx, clashes: readonly Clash[]): void {
  for (const { path, message } of clashes) context.addIssue({ code: 'custom', path: [...path], message, continue: false });
}

/** Leaves out what is not given, so that absent fields are absent. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** By name, so that the order in which people write makes no difference. */
export function sorted(map: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : Number(a > b))));
}

/** The second of two equal ones is one too many. */
export function repeated<T>(
  items: readonly T[],
  keyOf: (item: T) => string | number | undefined,
  path: (index: number) => Clash['path'],
): Clash[] {
  const seen = new Set<string | number>();
  return items.flatMap((item, index) => {
    const key = keyOf(item);
    if (key === undefined) return [];
    if (seen.has(key)) return [{ path: path(index), message: `is there twice (${quote(key)})` }];
    seen.add(key);
    return [];
  });
}

/** Refuses what no engine takes: it would be cut or misread. */
const NUL = '\u0000';
export const text = z
  .string()
  .max(32_768)
  .refine((value) => !value.includes(NUL), 'must not contain a NUL character');

export const pullPolicies = ['Always', 'IfNotPresent', 'Never'] as const satisfies readonly PullPolicy[];

/** One word per item, as a machine takes them: nothing is split or expanded. */
export const words = z
  .array(text, { error: ({ input }) => `must be a list of words such as ["sleep", "60"] (got ${quote(input)})` })
  .max(1_000);

const seconds = z.int().min(0).max(86_400);

/** How an instance is stopped, and what runs in it. */
export const processFields = {
  entrypoint: words.optional().describe('Instead of the entrypoint of the image'),
  command: words.optional().describe('What is run: instead of the command of the image, and given to its entrypoint'),
  args: words.optional().describe('Appended to the command'),
};

export const stopFields = {
  terminationGracePeriodSeconds: seconds.optional().describe('From the first signal until it is killed; 10'),
  killSignal: z
    .enum(['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH', 'SIGKILL'])
    .optional()
    .describe('The first signal of a stop; SIGTERM'),
};

/** A path that cannot climb: what it names is what a policy has seen. */
export function pathProblem(path: string): string | undefined {
  if (!path.startsWith('/')) return `must be an absolute path such as /data (got ${quote(path)})`;
  if (path.split('/').includes('..')) return `must not contain ".." (got ${quote(path)})`;
  return undefined;
}

export const absolutePath = text.max(4_096).superRefine((path, context) => {
  const message = pathProblem(path);
  if (message) complain(context, [{ path: [], message }]);
});

/** A label of the instances: another time is another revision. */
export const RESTARTED_AT = 'colonies.io/restarted-at';

/** When somebody last wanted all instances new. */
export const restartedAt = z.iso
  .datetime({ offset: true })
  .optional()
  .describe('Another time replaces all instances; the command restart sets it');
