import type { RuntimeName, Template } from '../core/template.ts';

/** What the planner of replicated kinds wants to know of a spec; every such kind is turned into this. */
export interface Replicated {
  readonly replicas: number;
  readonly template: Template;
  readonly strategy: Strategy;
  readonly restart: RestartRule;
  /** Nothing new takes over while this is true; what runs is kept running. */
  readonly paused: boolean;
  /** Where, in turn; empty: wherever it is put first. */
  readonly nodes: readonly string[];
}

export interface Strategy {
  readonly type: 'RollingUpdate' | 'Recreate';
  /** More than wished, while one revision takes over from another: a number, or a share such as "25%" (rounded up). */
  readonly maxSurge: number | string;
  /** Fewer than wished: a number, or a share such as "25%" (rounded down). */
  readonly maxUnavailable: number | string;
  /** How long an instance must have been ready before it counts. */
  readonly minReadySeconds: number;
  /** How long a rollout may stand still before it has failed. */
  readonly progressDeadlineSeconds: number;
  readonly onFailure: 'Pause' | 'Rollback';
}

export interface RestartRule {
  readonly policy: 'Always' | 'OnFailure' | 'Never';
  readonly firstSeconds: number;
  readonly maxSeconds: number;
  /** An instance that ran this long before it ended is not said to crash again and again. */
  readonly resetSeconds: number;
}

export const defaultStrategy: Strategy = {
  type: 'RollingUpdate',
  maxSurge: '25%',
  maxUnavailable: '25%',
  minReadySeconds: 0,
  progressDeadlineSeconds: 600,
  onFailure: 'Pause',
};

export const defaultRestart: RestartRule = { policy: 'Always', firstSeconds: 1, maxSeconds: 300, resetSeconds: 600 };

/** Whether the runtime itself replaces, heals and scales; then we hand it the wish and read back. */
export const runsItself = (runtime: RuntimeName): boolean => runtime === 'kubernetes';
