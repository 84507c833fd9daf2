/** An engine in a folder; see docker-engine.mjs. */
export interface PrivateEngine {
  readonly folder: string;
  readonly socket: string;
  /** As DOCKER_HOST wants it. */
  readonly host: string;
  readonly pid: number;
  kill(signal?: NodeJS.Signals): void;
  halt(signal?: NodeJS.Signals): Promise<void>;
  launchDockerd(): Promise<void>;
  restart(signal?: NodeJS.Signals): Promise<void>;
  stop(): Promise<void>;
}

export interface EngineOptions {
  /** Whether containers live on while the engine is away. */
  readonly liveRestore?: boolean;
  /** Whether it has the test images. */
  readonly images?: boolean;
}

export function newEngineFolder(): string;
export function startEngine(folder?: string, options?: EngineOptions): Promise<PrivateEngine>;
export function stopEngine(folder: string): Promise<void>;
export function sweepEngines(say: (sentence: string) => void): Promise<void>;
export function ping(socket: string, timeoutMs?: number): Promise<boolean>;
