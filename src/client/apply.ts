import type { ApplyAnswer, ApplyRequest } from '../../definitions/core/messages.ts';
import type { Manifest } from '../../definitions/core/resource.ts';
import type { DefinitionSpec } from '../../definitions/resource-definition/schema.ts';
import type { ApplyOptions, ApplyOutcome, KnownKind } from './api.ts';
import type { Checked } from './check.ts';
import type { Context } from './context.ts';
import { describeRow } from './describe-row.ts';
import { ConflictError, NotFoundError } from './errors.ts';
import { asColonyError, refusalOf } from './failures.ts';
import { pause } from './pause.ts';
import { send } from './send.ts';
import type { Session } from './session.ts';
import type { Target } from './target.ts';

const PUBLISHED_MS = 3_000;

/**
 * Checks a manifest and writes it: creates the resource, changes it, or finds that nothing has to change.
 *
 * Guarantees: what is refused leaves nothing behind; when a definition's apply comes back, resources of its kind can be applied.
 */
export async function apply(context: Context, input: unknown, options: ApplyOptions = {}, given?: KnownKind): Promise<ApplyOutcome> {
  const { check } = await import('./check.ts'); // brings the schemas, which reads do without
  const checked = await check(context, input, given);
  const { manifest, target, spec, warnings } = checked;
  const answer = await write(context.session, target, { ...manifest, ...options }, checked.known.names.kind);
  if (checked.known.names.kind === 'ResourceDefinition') await establish(context, checked, answer);
  return { ...answer, manifest: withSpec(manifest, spec), warnings };
}

/** Sends an apply; `Unchanged`, which costs no history, is an answer like others. */
export async function write(session: Session, target: Target, body: ApplyRequest, kind: string): Promise<ApplyAnswer> {
  const { resourceVersion, uid } = body.metadata ?? {};
  const isForExisting = body.only === 'update' || resourceVersion !== undefined || uid !== undefined;
  try {
    return await send<ApplyAnswer>(session, { ...target, update: 'apply', body, ...(isForExisting ? {} : { startAs: kind }) });
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal?.type === 'Unchanged') {
      const { generation = 0, resourceVersion: version = '', uid: found = '' } = refusal.details;
      return { operation: 'unchanged', generation, resourceVersion: version, uid: found };
    }
    const known = asColonyError(error, target.subject);
    if (known instanceof NotFoundError && isForExisting && body.only !== 'update') throw gone(target, body);
    throw known;
  }
}

function gone({ subject }: Target, { metadata }: ApplyRequest): ConflictError {
  const wanted = metadata?.resourceVersion === undefined ? `uid ${metadata?.uid}` : `version ${metadata.resourceVersion}`;
  return new ConflictError(
    `${subject}: expected ${wanted}, but it does not exist`,
    'Leave out metadata.resourceVersion and metadata.uid to create it.',
  );
}

/** Workers read a definition from where it is published, which may be a moment after it was accepted. */
async function establish({ session, registry }: Context, { target, spec }: Checked, { generation }: ApplyAnswer): Promise<void> {
  await registry.learn(spec as unknown as DefinitionSpec);
  for (const until = Date.now() + PUBLISHED_MS; Date.now() < until; await pause(25)) {
    const row = await describeRow(session, target.workflowId).catch(() => undefined);
    if (!row?.open || (row.memo?.meta.generation ?? 0) >= generation) return;
  }
}

function withSpec(manifest: Manifest, spec: Manifest['spec']): Manifest {
  return spec ? { ...manifest, spec } : manifest;
}
