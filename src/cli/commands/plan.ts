import { diff } from '../../../definitions/core/diff.ts';
import type { Colony, DryRun } from '../../client/api.ts';
import type { Context } from '../context.ts';
import { forecastApplication } from '../forecast/application.ts';
import type { Forecast } from '../forecast/forecast.ts';
import { isDefinition, type RawManifest, readManifests } from '../input/manifests.ts';
import { inNamespace } from '../input/namespace.ts';
import { parseFormat } from '../output/format.ts';
import { label } from '../output/identify.ts';
import { renderValue } from '../output/objects.ts';
import { planSummary, planText } from '../output/plan.ts';
import { EXIT_ERROR, isRefusal } from '../report.ts';
import { reportBroken, reportDocument } from '../report-document.ts';

interface PlanOptions {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
}

export async function run(context: Context, _args: readonly string[], options: PlanOptions): Promise<number> {
  const { io, globals } = context;
  const format = parseFormat(globals.output, ['table', 'json', 'yaml']);
  const { documents, broken } = await readManifests({
    files: options.filename ?? [],
    recursive: options.recursive === true,
    stdin: io.stdin,
  });
  for (const one of broken) await reportBroken(context, one);
  const colony = await context.colony();
  const defined = new Set(documents.flatMap(({ manifest }) => kindsDefinedBy(manifest)));
  const forecasts: Forecast[] = [];
  let failed = broken.length > 0;
  for (const document of documents) {
    try {
      const forecast = await forecastOf(colony, await inNamespace(context, colony, document.manifest), defined);
      forecasts.push(forecast);
      if (format.as === 'table') io.out(planText(io, forecast));
    } catch (error) {
      await reportDocument(context, document, error);
      failed = true;
    }
  }
  if (format.as !== 'table') io.out(await renderValue({ plan: forecasts }, format));
  else if (forecasts.length > 0) io.out(planSummary(forecasts));
  return failed ? EXIT_ERROR : 0;
}

async function forecastOf(colony: Colony, manifest: RawManifest, defined: ReadonlySet<string>): Promise<Forecast> {
  const run = await colony.dryRun(manifest).catch((error: unknown) => {
    if (isRefusal(error, 'UnknownKind') && defined.has(manifest.kind)) return undefined;
    throw error;
  });
  if (!run)
    return {
      resource: label(manifest),
      operation: 'created',
      changes: [],
      note: 'checked when its definition, which comes first, is there',
    };
  const { operation, after } = run;
  const isApplication = after.kind === 'Application' && after.apiVersion.startsWith('app.colonies.io/');
  return {
    resource: label(after),
    operation: operation === 'configured' ? 'changed' : operation,
    changes: changesOf(run),
    ...(isApplication ? await forecastApplication(colony, run, defined) : {}),
  };
}

function changesOf({ before, after }: DryRun): Forecast['changes'] {
  if (!before) return [];
  const { labels = {}, annotations = {} } = after.metadata;
  return [
    ...diff(before.metadata.labels, labels, 'metadata.labels'),
    ...diff(before.metadata.annotations, annotations, 'metadata.annotations'),
    ...diff(before.spec, after.spec ?? {}, 'spec'),
  ];
}

/** The kind that a definition among the files is of, by its name alone and with its version. */
function kindsDefinedBy(manifest: RawManifest): readonly string[] {
  const { names, group, version } = (manifest.spec ?? {}) as Readonly<Record<string, unknown>> & { names?: { kind?: unknown } };
  return isDefinition(manifest) && typeof names?.kind === 'string' ? [names.kind, `${group}/${version} ${names.kind}`] : [];
}
