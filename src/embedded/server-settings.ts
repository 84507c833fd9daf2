/**
 * Settings of the Temporal server that colony counts on, as dynamic config. The embedded server gets them as flags,
 * docker/dynamicconfig.yaml says the same (a test compares the two).
 */
export const serverSettings: Readonly<Record<string, number | string | boolean>> = {
  // The default of 10 refuses valid applies under load.
  'history.maxInFlightUpdates': 1_000,
  // A worker sends updates back with its answer, and one message may have 4 MB: with more at once the task would fail again and again.
  'history.maxInFlightUpdatePayloads': 2_500_000,
  'history.maxTotalUpdates': 10_000,
  // Else every wait is at least a second long.
  'history.timerProcessorMaxTimeShift': '50ms',
  // A query that rides on a workflow task can make its history impossible to replay (docs/decisions/002); refused, it is asked again.
  'history.MaxBufferedQueryCount': 0,
  'history.hostLevelCacheMaxSize': 50_000,
  // The default of 20 looks a second makes every hop of a busy server wait up to 50 ms.
  'history.transferProcessorMaxPollRPS': 10_000,
  'history.timerProcessorMaxPollRPS': 10_000,
  'history.visibilityProcessorMaxPollRPS': 10_000,
  'history.rps': 100_000,
  'matching.rps': 100_000,
  'matching.persistenceMaxQPS': 45_000,
  'frontend.rps': 100_000,
  'frontend.namespaceRPS': 100_000,
  // The default of 10 a second starves the informer.
  'frontend.namespaceRPS.visibility': 1_000,
  'frontend.namespaceCount': 20_000,
  'system.enableActivityEagerExecution': true,
  // The memo holds the object, so 2 kB is no reason for a warning.
  'limit.memoSize.warn': 65_536,
};

/** The same, as flags of `temporal server start-dev`. */
export function settingFlags(): string[] {
  return Object.entries(serverSettings).flatMap(([key, value]) => ['--dynamic-config-value', `${key}=${JSON.stringify(value)}`]);
}
