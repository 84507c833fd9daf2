import { makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { type Logger, pino } from 'pino';
import type { LogLevel } from '../config.ts';

export type { Logger };

/** JSON lines on stdout; `colony up` keeps them in COLONY_HOME/logs. */
export function createLog(level: LogLevel, name: string): Logger {
  return pino({ level, base: { name, pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime });
}

/** Must run before anything else of the SDK. Sends the SDK's own warnings (both its halves) to our log, and leaves signals to us. */
export function installRuntime(log: Logger): void {
  const sdk = log.child({ from: 'temporal-sdk' });
  const at = (level: 'debug' | 'warn' | 'error') => (message: string, meta?: object) => {
    if (sdk.isLevelEnabled(level)) sdk[level](plain(meta), message);
  };
  const [debug, warn, error] = [at('debug'), at('warn'), at('error')];
  const byLevel = { TRACE: debug, DEBUG: debug, INFO: debug, WARN: warn, ERROR: error };
  Runtime.install({
    logger: { trace: debug, debug, info: debug, warn, error, log: (level, message, meta) => byLevel[level](message, meta) },
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} } },
    shutdownSignals: [],
  });
}

/** Errors without their stacks, and numbers that JSON cannot hold as text. */
function plain(meta: object = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(meta).map(([key, value]) => [key, plainValue(value)]));
}

function plainValue(value: unknown): unknown {
  if (value instanceof Error) return value.message;
  return typeof value === 'bigint' ? String(value) : value;
}
