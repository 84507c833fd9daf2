import { asColonyError, isAbsent } from './failures.ts';
import { type Row, rowOf } from './row.ts';
import type { Session } from './session.ts';

/** The newest run under an id, strongly consistent and without a worker; undefined when there is none. Throws ColonyError. */
export async function describeRow(session: Session, workflowId: string): Promise<Row | undefined> {
  try {
    const { workflowExecutionInfo } = await session.within(Date.now() + session.timeoutMs, () =>
      session.service.describeWorkflowExecution({ namespace: session.temporalNamespace, execution: { workflowId } }),
    );
    return workflowExecutionInfo ? rowOf(workflowExecutionInfo) : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw asColonyError(error, workflowId);
  }
}
