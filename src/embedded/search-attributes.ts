import type { OperatorService, WorkflowService } from '@temporalio/client';

/** Of temporal.api.enums.v1.IndexedValueType, by number: importing the enum would load every message there is. */
const [KEYWORD, INT, DATETIME, KEYWORD_LIST] = [2, 3, 6, 7] as const;

/** The index of all resources: what `Colony*` search attributes there are. */
export const searchAttributes = {
  ColonyPhase: KEYWORD,
  ColonyReady: KEYWORD,
  ColonyOwner: KEYWORD,
  ColonyNodes: KEYWORD_LIST,
  ColonyLabels: KEYWORD_LIST,
  ColonyChangedAt: DATETIME,
  ColonyVersion: INT,
  ColonyChildren: INT,
} as const;

/** Connection and NativeConnection both are. */
export interface ServiceConnection {
  readonly operatorService: OperatorService;
  readonly workflowService: WorkflowService;
}

/** An attribute of ours is there with another type, so resources could never be indexed. */
export class SearchAttributeClash extends Error {
  override readonly name = 'SearchAttributeClash';
}

const USABLE_WITHIN_MS = 30_000;
const ALREADY_EXISTS = 6;

/** Registers the attributes that are missing and waits until the server takes queries by them. Safe to call from many workers at once. */
export async function ensureSearchAttributes(connection: ServiceConnection, temporalNamespace: string): Promise<void> {
  const missing = await missingAttributes(connection, temporalNamespace);
  if (missing.length === 0) return;
  const wanted = Object.fromEntries(missing.map((name) => [name, searchAttributes[name]]));
  try {
    await connection.operatorService.addSearchAttributes({ namespace: temporalNamespace, searchAttributes: wanted });
  } catch (error) {
    // Another worker was faster, or registers the rest right now; what counts is that all are there in the end.
    if (!isAlreadyThere(error)) throw error;
  }
  await untilUsable(connection, temporalNamespace);
}

type Name = keyof typeof searchAttributes;

async function missingAttributes({ operatorService }: ServiceConnection, namespace: string): Promise<Name[]> {
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
  const names = Object.keys(searchAttributes) as Name[];
  for (const name of names) {
    const found = customAttributes[name];
    if (found === undefined || found === null || found === searchAttributes[name]) continue;
    throw new SearchAttributeClash(
      `search attribute ${name} of Temporal namespace ${namespace} has another type than colony needs; remove it or use another namespace`,
    );
  }
  return names.filter((name) => customAttributes[name] === undefined);
}

async function untilUsable(connection: ServiceConnection, namespace: string): Promise<void> {
  const query = (Object.keys(searchAttributes) as Name[]).map((name) => `${name} IS NULL`).join(' AND ');
  const until = Date.now() + USABLE_WITHIN_MS;
  for (;;) {
    try {
      await connection.workflowService.countWorkflowExecutions({ namespace, query });
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((wake) => setTimeout(wake, 100));
    }
  }
}

function isAlreadyThere(error: unknown): boolean {
  const { code, message } = error as { code?: number; message?: string };
  return code === ALREADY_EXISTS || /already exist/i.test(message ?? '');
}
