import { proxySinks, type Sinks, type WorkflowInterceptors } from '@temporalio/workflow';

const RESERVED = '__temporal_';

/** What the worker hears of its workflows without any trace in their histories. */
export interface ColonySinks extends Sinks {
  colony: {
    /** A run begins, or is built up again from its history. */
    built(): void;
  };
}

const { colony } = proxySinks<ColonySinks>();

export const interceptors = (): WorkflowInterceptors => ({
  inbound: [
    {
      execute(input, next) {
        colony.built();
        return next(input);
      },
    },
  ],
  internals: [
    {
      /** A signal under one of the SDK's own names would fail the workflow's task for ever; by another name it is one that nobody knows. */
      activate(input, next) {
        for (const { signalWorkflow } of input.activation.jobs ?? []) {
          if (signalWorkflow?.signalName?.startsWith(RESERVED)) signalWorkflow.signalName = `reserved:${signalWorkflow.signalName}`;
        }
        next(input);
      },
    },
  ],
});
