/** The SDK takes a stack for every promise of a workflow; three lines of it are enough to find a fault and cost a third less. */
Error.stackTraceLimit = 3;
