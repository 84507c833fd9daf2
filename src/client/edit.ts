import { annotations as known } from '../../definitions/core/annotations.ts';
import type { ApplyRequest } from '../../definitions/core/messages.ts';
import type { JsonObject, Resource } from '../../definitions/core/resource.ts';
import type { ApplyOutcome, KnownKind } from './api.ts';
import { write } from './apply.ts';
import type { Context } from './context.ts';
import { EMPTY_SETS } from './empty-sets.ts';
import { ConflictError, InvalidError } from './errors.ts';
import { get } from './get.ts';
import { parsePath, setAt } from './path.ts';
import { pause } from './pause.ts';
import type { Target } from './target.ts';

const ATTEMPTS = 12;

/**
 * Reads a resource, changes a copy and writes it if nobody else wrote meanwhile; begins again otherwise.
 *
 * Guarantees: no write of somebody else is lost. Throws ConflictError only if others were quicker a dozen times in a row.
 */
export async function edit(
  context: Context,
  kind: KnownKind,
  target: Target,
  change: (current: Resource) => ApplyRequest,
): Promise<ApplyOutcome> {
  for (let attempt = 1; ; attempt++) {
    const current = await get(context.session, context.reader, target);
    const request = change(current);
    const { uid, resourceVersion, name, namespace } = current.metadata;
    const metadata = { ...request.metadata, name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion };
    try {
      const answer = await write(context.session, target, { ...request, metadata, only: 'update' }, kind.names.kind);
      const { uid: _, resourceVersion: __, ...told } = metadata;
      return {
        ...answer,
        manifest: { apiVersion: current.apiVersion, kind: current.kind, metadata: told, spec: request.spec ?? current.spec },
        warnings: [],
      };
    } catch (error) {
      if (!(error instanceof ConflictError) || attempt === ATTEMPTS) throw error;
      await pause(Math.random() * 20 * attempt);
    }
  }
}

/** The request that puts a value into `spec…` or `metadata.labels…`; `undefined` takes the field away. Throws InvalidError. */
export function setting(path: string, value: unknown): (current: Resource) => ApplyRequest {
  const segments = parsePath(path);
  const [root, set] = segments;
  if (root === 'spec') return ({ spec }) => ({ spec: (setAt({ spec }, segments, value).spec ?? {}) as JsonObject });
  if (root !== 'metadata' || typeof set !== 'string' || !Object.hasOwn(EMPTY_SETS, set)) {
    const sets = Object.keys(EMPTY_SETS).join(', metadata.');
    throw new InvalidError([{ path, message: `cannot be set; allowed are spec… and metadata.${sets}` }]);
  }
  return ({ metadata }) => ({ metadata: { [set]: (setAt({ metadata }, segments, value).metadata as JsonObject)[set] ?? EMPTY_SETS[set] } });
}

/** The request that pauses a resource or lets it go on. */
export function pausing(isPaused: boolean): (current: Resource) => ApplyRequest {
  return ({ metadata }) => {
    const { [known.paused]: _, ...others } = metadata.annotations;
    return { metadata: { annotations: isPaused ? { ...others, [known.paused]: 'true' } : others } };
  };
}
