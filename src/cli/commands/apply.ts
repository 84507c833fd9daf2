import type { Manifest } from '../../../definitions/core/resource.ts';
import type { Colony } from '../../client/api.ts';
import { inParallel } from '../../client/in-parallel.ts';
import type { Context } from '../context.ts';
import { escapeLine } from '../escape.ts';
import { isDefinition, type ManifestDocument, readManifests } from '../input/manifests.ts';
import { inNamespace } from '../input/namespace.ts';
import { parseFormat } from '../output/format.ts';
import { label } from '../output/identify.ts';
import { listOf, renderValue } from '../output/objects.ts';
import { withProgress } from '../progress.ts';
import { EXIT_ERROR } from '../report.ts';
import { reportBroken, reportDocument } from '../report-document.ts';
import { findKind, refOf, type Selected } from '../selection.ts';
import { UsageError } from '../usage-error.ts';
import { awaitReady, readWaiting } from '../wait-ready.ts';
import { fitWarning } from './apply-fit.ts';

export interface ApplyOptions {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
  readonly dryRun?: boolean | string;
  readonly wait?: boolean | string;
  readonly timeout?: string;
  readonly verb: 'apply' | 'create' | 'update';
}

/** What became of one document. */
export type Outcome = {
  readonly document: ManifestDocument;
  readonly operation: 'created' | 'configured' | 'unchanged';
  readonly warnings: readonly string[];
  /** As it is stored, or would be. */
  readonly manifest: Manifest;
  /** Absent in a dry run. */
  readonly generation?: number;
};

const AT_ONCE = 8;

export async function run(context: Context, _args: readonly string[], options: ApplyOptions): Promise<number> {
  const format = parseFormat(context.globals.output, ['table', 'json', 'yaml', 'name']);
  const objects: unknown[] = [];
  const isDryRun = wantsDryRun(options.dryRun);
  const waiting = readWaiting(options);
  const written: Manifest[] = [];
  const failed = await applyAll(context, options, async ({ operation, manifest }) => {
    if (format.as === 'table') context.io.out(`${escapeLine(label(manifest))} ${operation}${isDryRun ? ' (dry run)' : ''}\n`);
    else objects.push(isDryRun ? manifest : await stored(await context.colony(), manifest));
    written.push(manifest);
  });
  const [first] = objects;
  if (format.as !== 'table' && first) context.io.out(await renderValue(objects.length === 1 ? first : listOf(objects), format));
  if (!waiting || isDryRun) return failed ? EXIT_ERROR : 0;
  const late = await awaitReady(context, await selectedOf(context, written), waiting);
  return failed ? EXIT_ERROR : late;
}

async function selectedOf(context: Context, manifests: readonly Manifest[]): Promise<readonly Selected[]> {
  const colony = await context.colony();
  const selected = new Map<string, Selected>();
  for (const manifest of manifests) {
    const { apiVersion, kind, metadata } = manifest;
    const found = await findKind(colony, `${kind}.${apiVersion.split('/')[0]}`);
    selected.set(`${label(manifest)} ${metadata.namespace ?? ''}`, { ...found, ref: refOf(manifest) });
  }
  return [...selected.values()];
}

/** Applies every document of the files, definitions first, and tells of each in order. True when one of them failed; that was said. */
export async function applyAll(
  context: Context,
  options: ApplyOptions,
  tell: (outcome: Outcome) => void | Promise<void>,
): Promise<boolean> {
  const { io } = context;
  const { documents, broken } = await readManifests({
    files: options.filename ?? [],
    recursive: options.recursive === true,
    stdin: io.stdin,
  });
  for (const one of broken) await reportBroken(context, one);
  let failed = broken.length > 0;
  const colony = await context.colony();
  const write = wantsDryRun(options.dryRun) ? wouldBe : written;
  const one = async (document: ManifestDocument): Promise<Outcome> => {
    const manifest = await inNamespace(context, colony, document.manifest);
    return { ...(await write(colony, manifest, options.verb)), document };
  };
  const settle = async (document: ManifestDocument, result: Promise<Outcome>): Promise<void> => {
    try {
      const outcome = await withProgress(
        io,
        () => `waiting for ${label(document.manifest)}`,
        () => result,
      );
      for (const warning of outcome.warnings) io.err(`warning: ${escapeLine(warning)}\n`);
      await tell(outcome);
    } catch (error) {
      failed = true;
      await reportDocument(context, document, error);
    }
  };
  const definition = async (document: ManifestDocument): Promise<Outcome> => {
    const outcome = await one(document);
    const { operation, generation, manifest, warnings } = outcome;
    if (operation !== 'configured' || generation === undefined) return outcome;
    const misfit = await fitWarning(colony, manifest.metadata.name, generation);
    return misfit ? { ...outcome, warnings: [...warnings, misfit] } : outcome;
  };
  for (const document of documents.filter(({ manifest }) => isDefinition(manifest))) await settle(document, definition(document));
  await inOrder(
    documents.filter(({ manifest }) => !isDefinition(manifest)),
    one,
    settle,
  );
  return failed;
}

/** Reads `--dry-run` as kubectl does; what colony checks is the same on either side. */
export function wantsDryRun(dryRun: boolean | string | undefined): boolean {
  const mode = String(dryRun ?? false);
  if (['false', 'none'].includes(mode)) return false;
  if (['true', '', 'client', 'server'].includes(mode)) return true;
  throw new UsageError(`--dry-run is ${JSON.stringify(mode)}; it must be client, server, true or false`);
}

/** Several at once, but documents of one resource one after the other, and told in the order of the files. */
async function inOrder(
  documents: readonly ManifestDocument[],
  work: (document: ManifestDocument) => Promise<Outcome>,
  settle: (document: ManifestDocument, result: Promise<Outcome>) => Promise<void>,
): Promise<void> {
  const results = new Map<ManifestDocument, PromiseWithResolvers>(documents.map((document) => [document, withResolvers()]));
  const byResource = new Map<string, ManifestDocument[]>();
  for (const document of documents) {
    const { apiVersion, kind, metadata } = document.manifest;
    const key = JSON.stringify([apiVersion, kind, metadata.namespace, metadata.name]);
    byResource.set(key, [...(byResource.get(key) ?? []), document]);
  }
  const working = inParallel([...byResource.values()], AT_ONCE, async (same) => {
    for (const document of same) await work(document).then(results.get(document)?.resolve, results.get(document)?.reject);
  });
  for (const document of documents) await settle(document, results.get(document)?.promise as Promise<Outcome>);
  await working;
}

interface PromiseWithResolvers {
  readonly promise: Promise<Outcome>;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

function withResolvers(): PromiseWithResolvers {
  let resolve: PromiseWithResolvers['resolve'] = () => {};
  let reject: PromiseWithResolvers['reject'] = () => {};
  const promise = new Promise<Outcome>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  promise.catch(() => {}); // told in its turn
  return { promise, resolve, reject };
}

type Written = Omit<Outcome, 'document'>;

async function written(colony: Colony, manifest: unknown, verb: ApplyOptions['verb']): Promise<Written> {
  return colony.apply(manifest, verb === 'apply' ? {} : { only: verb });
}

async function wouldBe(colony: Colony, manifest: unknown, verb: ApplyOptions['verb']): Promise<Written> {
  const { operation, before, after, warnings } = await colony.dryRun(manifest);
  if (verb === 'create' && before) throw new Error(`${label(after)} exists already; apply would change it`);
  if (verb === 'update' && !before) throw new Error(`${label(after)} does not exist; apply would create it`);
  return { operation, manifest: after, warnings };
}

async function stored(colony: Colony, { apiVersion, kind, metadata }: Manifest): Promise<unknown> {
  const { name, namespace } = metadata;
  return colony.resources(apiVersion, kind).get({ name, ...(namespace === undefined ? {} : { namespace }) });
}
