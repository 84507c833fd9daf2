import type { Resource } from '../../../definitions/core/resource.ts';
import type { Colony } from '../../client/api.ts';
import { pause } from '../../client/pause.ts';
import { findKind } from '../selection.ts';

/** Shorter than what passes before somebody who waits is told so. */
const PATIENCE_MS = 1_800;
const LOOK_MS = 100;

/**
 * What a person should know after changing a definition: which resources no longer fit it. Waits a moment until they were looked at.
 *
 * Never fails: the definition is written, whatever comes of this.
 */
export async function fitWarning(colony: Colony, name: string, generation: number): Promise<string | undefined> {
  const page = `colony describe crd/${name}`;
  try {
    const { resources } = await findKind(colony, 'ResourceDefinition');
    for (const until = performance.now() + PATIENCE_MS; ; await pause(LOOK_MS)) {
      const definition = await resources.get({ name });
      if ((definition.status?.observedGeneration ?? 0) >= generation) return misfits(definition, page);
      if (performance.now() >= until) break;
    }
  } catch {
    // said below: it is not known
  }
  return `whether its resources still fit is not known yet; it will be told by ${page}`;
}

function misfits({ status }: Resource, page: string): string | undefined {
  const fit = status?.conditions?.find(({ type }) => type === 'InstancesFit');
  return fit?.status === 'False' ? `${fit.message} See what is wrong with them: ${page}` : undefined;
}
