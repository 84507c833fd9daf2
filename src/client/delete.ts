import type { DeleteAnswer } from '../../definitions/core/messages.ts';
import type { DefinitionSpec } from '../../definitions/resource-definition/schema.ts';
import type { DeleteOptions, KnownKind } from './api.ts';
import type { Context } from './context.ts';
import { instancesOf } from './count-instances.ts';
import { describeRow } from './describe-row.ts';
import { ConflictError, NotFoundError, TimeoutError } from './errors.ts';
import { asColonyError } from './failures.ts';
import { find } from './get.ts';
import { paced } from './paced.ts';
import type { Row } from './row.ts';
import { send } from './send.ts';
import type { Session } from './session.ts';
import type { Target } from './target.ts';

const GONE_MS = 60_000;

/**
 * Marks a resource for deletion and, unless told otherwise, waits until it is gone.
 *
 * Throws NotFoundError, ConflictError (other uid; a definition with instances), TimeoutError when it is still there.
 */
export async function remove(context: Context, known: KnownKind, target: Target, options: DeleteOptions = {}): Promise<DeleteAnswer> {
  const { wait = true, timeoutMs = GONE_MS, ...request } = options;
  const isDefinition = known.builtIn && known.names.kind === 'ResourceDefinition';
  if (isDefinition && !request.force) await refuseWithInstances(context, target);
  const answer = await mark(context.session, target, request);
  if (wait) await untilGone(context.session, target, answer.uid, timeoutMs);
  if (isDefinition) context.registry.expire();
  return answer;
}

async function mark(session: Session, target: Target, body: object): Promise<DeleteAnswer> {
  const before = await describeRow(session, target.workflowId);
  if (!before?.open) throw new NotFoundError(`${target.subject} does not exist`);
  try {
    return await send<DeleteAnswer>(session, { ...target, update: 'delete', body });
  } catch (error) {
    const known = asColonyError(error, target.subject);
    // It may be gone before the answer is here: then that is the answer.
    if (!(known instanceof NotFoundError) || before.version === undefined) throw known;
    return { deletionTimestamp: new Date().toISOString(), uid: before.memo?.meta.uid ?? before.runId };
  }
}

async function refuseWithInstances({ session, reader }: Context, target: Target): Promise<void> {
  const definition = await find(session, reader, target);
  const spec = definition?.spec as DefinitionSpec | undefined;
  if (!spec?.names) return;
  const instances = await instancesOf(session, spec);
  if (instances) throw new ConflictError(`${target.subject} cannot be deleted: ${instances}`, 'Delete those first.');
}

async function untilGone(session: Session, { workflowId, subject }: Target, uid: string, timeoutMs: number): Promise<void> {
  let last: Row | undefined;
  for await (const _ of paced(timeoutMs)) {
    last = await describeRow(session, workflowId);
    if (!last?.open || (last.memo && last.memo.meta.uid !== uid)) return;
  }
  const finalizers = last?.memo?.meta.finalizers ?? [];
  const held = finalizers.length > 0 ? `; it is held by ${finalizers.join(', ')}` : '';
  throw new TimeoutError(
    `${subject} is still being deleted after ${Math.round(timeoutMs / 1000)} s${held}`,
    'It goes on by itself; look at its events, or delete it with force.',
  );
}
