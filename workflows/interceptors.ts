import type { WorkflowInterceptors } from '@temporalio/workflow';

const RESERVED = '__temporal_';

/** A signal under one of the SDK's own names would fail the workflow's task for ever; by another name it is one that nobody knows. */
export const interceptors = (): WorkflowInterceptors => ({
  internals: [
    {
      activate(input, next) {
        for (const { signalWorkflow } of input.activation.jobs ?? []) {
          if (signalWorkflow?.signalName?.startsWith(RESERVED)) signalWorkflow.signalName = `reserved:${signalWorkflow.signalName}`;
        }
        next(input);
      },
    },
  ],
});
