/** Where instances run. */
export const runtimeNames = ['docker', 'local', 'kubernetes'] as const;

export type RuntimeName = (typeof runtimeNames)[number];

/**
 * What one instance is made of, whatever kind asked for it: plain data, normal form (no absent lists, no two spellings).
 *
 * Its digest tells an outdated instance from a current one, so nothing stands here that may change without a replacement:
 * no replicas, no strategy, no labels of the resource.
 */
export interface Template {
  readonly runtime: RuntimeName;
  /** As written; absent for processes. What it was resolved to stands in `Revision.image`. */
  readonly image?: string;
  readonly pullPolicy: PullPolicy;
  /** Empty: the image's own. */
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly workingDir?: string;
  /** `uid`, `uid:gid` or a name that the image knows. */
  readonly user?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly ports: readonly Port[];
  /** Joined beside its aliases: the resource's name and the instance's. Absent: the runtime's own network. */
  readonly network?: string;
  readonly limits: Limits;
  /** Capabilities beyond none; the node must allow them. */
  readonly capabilities: readonly string[];
  readonly privileged: boolean;
  /** Labels that a person wants on the instance itself. */
  readonly labels: Readonly<Record<string, string>>;
  readonly probes: Probes;
  readonly stop: StopManner;
  /** What only a Kubernetes cluster understands; absent for other runtimes. */
  readonly kubernetes?: KubernetesPart;
}

export interface KubernetesPart {
  /** Absent: the one that the node's kubeconfig names. */
  readonly namespace?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
  /** What must be free where it runs. */
  readonly requests?: Pick<Limits, 'cpus' | 'memoryBytes'>;
  /** Whole ones, for each instance. */
  readonly gpu?: number;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: 'Equal' | 'Exists';
  readonly value?: string;
  readonly effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
  readonly tolerationSeconds?: number;
}

export type PullPolicy = 'Always' | 'IfNotPresent' | 'Never';

export interface Mount {
  /** `path`: a folder of the node, if the node allows it; `volume`: by name, made when missing, kept on delete; `memory`: gone with the instance. */
  readonly type: 'volume' | 'path' | 'memory';
  /** Empty for memory. */
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

export interface Port {
  readonly name?: string;
  readonly container: number;
  /** Absent: any free one. Given, it goes to the first slot; further slots get free ones. */
  readonly host?: number;
  readonly protocol: 'tcp' | 'udp';
}

export interface Limits {
  /** Cores, such as 0.5. */
  readonly cpus?: number;
  readonly memoryBytes?: number;
  readonly pids?: number;
}

/** Each is asked again and again while the instance runs. */
export interface Probes {
  /** Until it has passed once, the others are not asked. */
  readonly startup?: Probe;
  /** Ready while it passes. */
  readonly readiness?: Probe;
  /** Restarted when it fails. */
  readonly liveness?: Probe;
}

export interface Probe {
  readonly check: ProbeCheck;
  readonly initialDelaySeconds: number;
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  /** In a row. */
  readonly successThreshold: number;
  /** In a row. */
  readonly failureThreshold: number;
}

export type ProbeCheck =
  | { readonly type: 'exec'; readonly command: readonly string[] }
  | {
      readonly type: 'http';
      readonly port: number;
      readonly path: string;
      readonly scheme: 'http' | 'https';
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly type: 'tcp'; readonly port: number }
  /** A worker in the instance polls this Temporal task queue. */
  | { readonly type: 'taskQueue'; readonly queue: string };

export interface StopManner {
  readonly signal: string;
  /** Until it is killed. */
  readonly graceSeconds: number;
}
