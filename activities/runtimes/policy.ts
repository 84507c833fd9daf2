/** What the owner of a machine allows on it; manifests can only ask. Default: deny. */
export interface NodePolicy {
  /** Plain processes, with the rights of the agent. */
  readonly allowLocal: boolean;
  /** Folders below which host paths may be mounted; absolute. */
  readonly hostPaths: readonly string[];
  /** Capabilities that a template may ask for. */
  readonly capabilities: readonly string[];
  readonly allowPrivileged: boolean;
  /** Where published ports listen. */
  readonly portAddress: string;
  /** What an instance gets that asks for nothing. */
  readonly defaults: { readonly memoryBytes: number; readonly pids: number; readonly logBytes: number; readonly logFiles: number };
}

export const strictPolicy: NodePolicy = {
  allowLocal: false,
  hostPaths: [],
  capabilities: [],
  allowPrivileged: false,
  portAddress: '127.0.0.1',
  defaults: { memoryBytes: 1024 ** 3, pids: 512, logBytes: 10 * 1024 ** 2, logFiles: 3 },
};
