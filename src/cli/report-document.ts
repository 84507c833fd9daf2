import type { Context } from './context.ts';
import { escapeLine } from './escape.ts';
import { placeOf, type SourceDocument } from './input/document.ts';
import type { BrokenDocument } from './input/manifests.ts';
import { report } from './report.ts';

/** Says what is wrong with a document of a file: where it stands, and on which line each complaint. */
export async function reportDocument(
  { io, globals }: Pick<Context, 'io' | 'globals'>,
  { source }: { readonly source: SourceDocument },
  error: unknown,
): Promise<void> {
  report(io, error, { at: placeOf(source), verbose: globals.verbose === true, lineOf: await source.lines() });
}

/** The same of one that cannot be used. A definition without a name may lack more than that, and whoever writes it wants to know it all. */
export async function reportBroken(context: Pick<Context, 'io' | 'globals'>, { problem, definition }: BrokenDocument): Promise<void> {
  const { readDefinition } = definition ? await import('../../definitions/resource-definition/shapes.ts') : {};
  const read = readDefinition?.(definition?.value);
  if (!definition || !read || !('issues' in read)) return context.io.err(`error: ${escapeLine(problem)}\n`);
  const { InvalidError } = await import('../client/errors.ts');
  await reportDocument(context, definition, new InvalidError(read.issues, 'ResourceDefinition'));
}
