import type { Client } from '@temporalio/client';
import { parseApiVersion, workflowIdOf } from '../../definitions/core/identity.ts';
import type { ApplyRequest } from '../../definitions/core/messages.ts';
import type { Manifest } from '../../definitions/core/resource.ts';
import type { Incarnation } from '../resources/incarnation.ts';
import { type Refusal, sendApply } from '../resources/send-apply.ts';

/** Starts or changes a resource of colony's own kinds. */
export async function applyResource(
  client: Client,
  plural: string,
  manifest: Manifest,
  call: Pick<ApplyRequest, 'only' | 'requestId' | 'actor'> = {},
): Promise<Incarnation | Refusal> {
  const { apiVersion, kind, metadata } = manifest;
  const { group } = parseApiVersion(apiVersion) ?? { group: '' };
  const id = workflowIdOf({ plural, group, name: metadata.name, ...(metadata.namespace ? { namespace: metadata.namespace } : {}) });
  const answer = await sendApply(client, kind, id, { ...manifest, ...call });
  return 'uid' in answer ? { id, uid: answer.uid } : answer;
}
