import { matches } from '../client/match-name.ts';
import type { Context } from './context.ts';
import { isRefusal } from './report.ts';

/** The error, with what else may have been meant: where a built-in kind has the name of another, the plain word means the built-in one. */
export async function withNamesakes(context: Context, error: unknown, args: readonly string[]): Promise<unknown> {
  if (!isRefusal(error, 'NotFound') || (error as { readonly hint?: string }).hint) return error;
  try {
    const kinds = await (await context.colony()).kinds();
    const named = args.filter((arg, index) => index === 0 || arg.includes('/'));
    for (const word of named.map((arg) => arg.split('/')[0] ?? '')) {
      const found = matches(kinds, word);
      const ours = found.find(({ builtIn }) => builtIn);
      const others = found.filter(({ builtIn }) => !builtIn).map(({ kind, names }) => `${names.plural}.${kind.group}`);
      if (!ours || others.length === 0) continue;
      const said = `${word} means ${ours.names.kind} of ${ours.kind.group}`;
      return Object.assign(error as Error, { hint: `${said}; the other kind of that name is ${others.join(', ')}` });
    }
  } catch {
    // Advice is a courtesy: the error stands without it.
  }
  return error;
}
