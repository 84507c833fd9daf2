import type { Resource } from '../../definitions/core/resource.ts';
import { viewOf } from '../client/view-of.ts';
import { offersUndo } from './output/why-stuck.ts';
import type { Selected } from './selection.ts';

/**
 * True when `colony rollout undo` has something to go back to, as the kind's own command says, which changes nothing by itself.
 *
 * Asks for the earlier specs only where that would be the advice; while nobody answers there is nothing to offer.
 */
export async function canUndo({ known, resources, ref }: Selected, resource: Resource): Promise<boolean> {
  if (!offersUndo(resource) || resource.metadata.generation === 1) return false;
  const undo = known.kind.commands?.undo;
  if (!undo) return true; // goes back to the whole spec before
  try {
    const revisions = await resources.history(ref);
    return undo(viewOf(resource), {}, { actor: '', now: Date.now(), revisions }).spec !== undefined;
  } catch {
    return false;
  }
}
