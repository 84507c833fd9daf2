import type { Propagation } from '../../../definitions/core/messages.ts';
import type { DeleteOptions as Deletion } from '../../client/api.ts';
import { inParallel } from '../../client/in-parallel.ts';
import type { Context } from '../context.ts';
import { notBoth } from '../contradictions.ts';
import { escapeLine } from '../escape.ts';
import { parseDuration } from '../input/duration.ts';
import { isDefinition, readManifests } from '../input/manifests.ts';
import { inNamespace } from '../input/namespace.ts';
import { parseTargets } from '../input/targets.ts';
import { yesNo } from '../input/yes-no.ts';
import { parseFormat } from '../output/format.ts';
import { withProgress } from '../progress.ts';
import { EXIT_ERROR, isRefusal, report } from '../report.ts';
import { findKind, labelOf, type Selected, selectMany, typedRef } from '../selection.ts';
import { UsageError } from '../usage-error.ts';
import { holdUpOf, withHoldUp } from './delete-hold-up.ts';

export interface DeleteOptions {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
  readonly all?: boolean;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly force?: boolean;
  readonly cascade?: string;
  readonly wait?: boolean | string;
  readonly timeout?: string;
  readonly ignoreNotFound?: boolean;
}

const CASCADE: Readonly<Record<string, Propagation>> = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' };
const AT_ONCE = 16;

export async function run(context: Context, args: readonly string[], options: DeleteOptions): Promise<number> {
  const deletion = deletionOf(options);
  parseFormat(context.globals.output, ['table', 'name']);
  const { waves, isMissing } = await wavesOf(context, args, options);
  if (!isMissing && waves.every((wave) => wave.length === 0)) context.io.err('No resources found.\n');
  let failed = isMissing && !options.ignoreNotFound;
  for (const wave of waves) failed = !(await deleteAll(context, wave, deletion, options)) || failed;
  return failed ? EXIT_ERROR : 0;
}

/** Deletes several at once; false when one of them could not be, which was said. */
export async function deleteAll(
  context: Context,
  selected: readonly Selected[],
  deletion: Deletion,
  options: DeleteOptions,
): Promise<boolean> {
  const { io, globals } = context;
  const waiting = new Set(selected);
  const first = (): Selected | undefined => waiting.values().next().value;
  const results = await withHoldUp(first, (holdUp) =>
    withProgress(
      io,
      () => waitingText([...waiting].map(labelOf), holdUp(), deletion),
      (aside) =>
        inParallel(selected, AT_ONCE, async (one) => {
          const result = await deleteOne(one, deletion).catch((error: unknown) => ({ error }));
          waiting.delete(one);
          const late = 'error' in result && isRefusal(result.error, 'Timeout') ? await latenessOf(context, one) : undefined;
          aside(() => tell(context, one, result, options, late));
          return !('error' in result) || (options.ignoreNotFound === true && isRefusal(result.error, 'NotFound'));
        }),
    ),
  );
  if (globals.verbose) io.err(`${results.filter(Boolean).length} of ${selected.length} deleted\n`);
  return results.every(Boolean);
}

/** `waiting until thing.acme.io/t9 is gone: clean up, waits for somebody on thing-maker to take it (--force does not wait)`. */
function waitingText([one, ...more]: readonly string[], holdUp: string | undefined, { force }: Deletion): string {
  const gone = `waiting until ${one}${more.length > 0 ? ` and ${more.length} more are` : ' is'} gone`;
  return holdUp ? escapeLine(`${gone}: ${holdUp}${force ? '' : ' (--force does not wait)'}`) : gone;
}

type Result = { readonly leftBehind?: readonly string[] } | { readonly error: unknown };

async function deleteOne({ resources, ref }: Selected, deletion: Deletion): Promise<Result> {
  const { leftBehind } = await resources.delete(ref, deletion);
  return leftBehind ? { leftBehind } : {};
}

/** What one that did not go in time waits for, and how a person names it. */
interface Lateness {
  readonly why: string | undefined;
  readonly typed: string;
}

const latenessOf = async (context: Context, one: Selected): Promise<Lateness> => ({
  why: await holdUpOf(one),
  typed: await typedRef(await context.colony(), one),
});

function tell({ io, globals }: Context, one: Selected, result: Result, options: DeleteOptions, late?: Lateness): void {
  const [kind, name] = labelOf(one).split('/');
  if ('error' in result) {
    if (options.ignoreNotFound && isRefusal(result.error, 'NotFound')) return;
    report(io, result.error, { verbose: globals.verbose === true });
    if (late?.why) io.err(`${escapeLine(`It waits for this: ${late.why}.`)}\n`);
    if (late) io.err(`See what it waits for: colony describe ${late.typed}\n`);
    return;
  }
  if (globals.output === 'name') io.out(`${kind}/${name}\n`);
  else io.out(`${kind} "${name}" ${options.force ? 'force deleted' : waits(options) ? 'deleted' : 'is being deleted'}\n`);
  for (const left of result.leftBehind ?? []) io.err(`left behind: ${escapeLine(left)}\n`);
  if (options.force && !result.leftBehind?.length) io.err('left behind: nothing that colony knows of\n');
}

/** Reads the options of a deletion; unknown words are usage errors. */
export function deletionOf(options: DeleteOptions): Deletion {
  const propagation = options.cascade === undefined ? undefined : CASCADE[options.cascade.toLowerCase()];
  if (options.cascade !== undefined && !propagation) {
    throw new UsageError(`--cascade is ${JSON.stringify(options.cascade)}; it must be background, foreground or orphan`);
  }
  return {
    wait: waits(options),
    ...(propagation ? { propagation } : {}),
    ...(options.force ? { force: true } : {}),
    ...(options.timeout === undefined ? {} : { timeoutMs: parseDuration(options.timeout, '--timeout') }),
  };
}

const waits = ({ wait }: DeleteOptions): boolean => yesNo(wait, '--wait', true);

interface Waves {
  /** What goes together: with files first the resources, then, when those are gone, the definitions. */
  readonly waves: readonly (readonly Selected[])[];
  /** One that was named is there of no kind of that name; said, unless nobody wants to know. */
  readonly isMissing: boolean;
}

async function wavesOf(context: Context, args: readonly string[], options: DeleteOptions): Promise<Waves> {
  if (!options.filename) return named(context, args, options);
  if (args.length > 0) throw notBoth('names', '-f');
  const { documents, broken } = await readManifests({
    files: options.filename,
    recursive: options.recursive === true,
    stdin: context.io.stdin,
  });
  if (broken[0]) throw new UsageError(broken[0].problem, 'Nothing was deleted.');
  const colony = await context.colony();
  const select = async (wanted: boolean): Promise<Selected[]> => {
    const selected: Selected[] = [];
    for (const { manifest } of documents.filter((document) => isDefinition(document.manifest) === wanted).reverse()) {
      const { apiVersion, kind, metadata } = await inNamespace(context, colony, manifest);
      const found = await findKind(colony, wanted ? 'ResourceDefinition' : qualified(apiVersion, kind));
      selected.push({
        ...found,
        ref: { name: metadata.name, ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }) },
      });
    }
    return selected;
  };
  return { waves: [await select(false), await select(true)], isMissing: false };
}

/** Where kinds share a name, by words: the kind that has the resource; with --all or -l, all of them. */
async function named(context: Context, args: readonly string[], options: DeleteOptions): Promise<Waves> {
  let isMissing = false;
  const none = (error: unknown): readonly Selected[] => {
    isMissing = true;
    if (!options.ignoreNotFound) report(context.io, error, { verbose: context.globals.verbose === true });
    return [];
  };
  const wave = await selectMany(context, parseTargets(args), options, { none });
  return { waves: [wave], isMissing };
}

/** Two groups may have a kind of one name. */
const qualified = (apiVersion: string | undefined, kind: string): string => (apiVersion ? `${kind}.${apiVersion.split('/')[0]}` : kind);
