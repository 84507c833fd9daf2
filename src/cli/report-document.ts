import type { Context } from './context.ts';
import { escapeLine } from './escape.ts';
import { placeOf, type SourceDocument } from './input/document.ts';
import { type BrokenDocument, isDefinition } from './input/manifests.ts';
import { isRefusal, report } from './report.ts';

/** Says what is wrong with a document of a file: where it stands, and on which line each complaint. */
export async function reportDocument(
  { io, globals }: Pick<Context, 'io' | 'globals'>,
  { source }: { readonly source: SourceDocument },
  error: unknown,
): Promise<void> {
  report(io, error, { at: placeOf(source), verbose: globals.verbose === true, lineOf: await source.lines() });
}

/** The same of one that cannot be used. More than its name may be wrong with it, and whoever writes it wants to know it all. */
export async function reportBroken(context: Context, { problem, judgeable }: BrokenDocument): Promise<void> {
  const refusal = judgeable && (await refusalOf(context, judgeable.value));
  if (refusal) return reportDocument(context, judgeable, refusal);
  context.io.err(`error: ${escapeLine(problem)}\n`);
}

/** Everything that a door has against it; undefined when no door can be asked. */
async function refusalOf(context: Context, value: { readonly kind: string }): Promise<Error | undefined> {
  if (isDefinition(value)) {
    const { readDefinition } = await import('../../definitions/resource-definition/shapes.ts');
    const { InvalidError } = await import('../client/errors.ts');
    const read = readDefinition(value);
    return 'issues' in read ? new InvalidError(read.issues, 'ResourceDefinition') : undefined;
  }
  try {
    await (await context.colony()).dryRun(value);
    return undefined;
  } catch (error) {
    return isRefusal(error, 'Invalid') ? (error as Error) : undefined;
  }
}
