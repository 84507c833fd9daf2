import { existsSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Everything that the environment may set; one field per variable. Read once, at the door of a process. */
export interface Config {
  /** TEMPORAL_ADDRESS; undefined when it is left to `colony up` (see `locateTemporal`). */
  readonly address: string | undefined;
  readonly temporalNamespace: string;
  /** Absolute. */
  readonly home: string;
  /** Absolute; outside the clone, kept between clones. */
  readonly cache: string;
  readonly logLevel: LogLevel;
  readonly node: string;
  /** Where instances go that name no node. */
  readonly defaultNode: string;
  /** What this machine allows: see NodePolicy. */
  readonly allowLocal: boolean;
  readonly hostPaths: readonly string[];
  readonly capabilities: readonly string[];
  readonly allowPrivileged: boolean;
  readonly portAddress: string;
  /** COLONY_KUBECONFIG, else KUBECONFIG: where runtime kubernetes runs; undefined: this node has none. */
  readonly kubeconfig: string | undefined;
  /** Absolute; where secrets are kept that manifests only name. */
  readonly secretsDir: string;
  /** The only hosts that HTTP steps may call; empty: see HttpPolicy. */
  readonly httpHosts: readonly string[];
  /** Ports of the embedded server; undefined: those of the last run, else the usual ones. */
  readonly temporalPort: number | undefined;
  readonly uiPort: number | undefined;
  /** Where a worker tells whether it is ready; undefined: nowhere. */
  readonly healthPort: number | undefined;
  /** undefined: the SDK's own rule, by heap size. */
  readonly maxCachedWorkflows: number | undefined;
  readonly scheduleToStartMs: number;
  readonly firstRetryMs: number;
  readonly rolloverEvents: number;
  readonly rolloverBytes: number;
  readonly rolloverUpdates: number;
  /** Where a worker is to end itself; see src/node/failpoint.ts. */
  readonly failpoint: string | undefined;
}

export type LogLevel = (typeof LOG_LEVELS)[number];

/** What is set in the environment and cannot be used; the message is one sentence for a person. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Env = Readonly<Record<string, string | undefined>>;

const YES_NO = ['true', 'false'] as const;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
const ADDRESS = /^(\[[0-9a-fA-F:]+\]|[\w.-]+):(\d{1,5})$/;
const NODE_NAME = /^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/;
const HTTP_HOST = /^((\*\.)?[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?|\[[0-9a-fA-F:.]+\])(:\d{1,5})?$/;
const TEMPORAL_NAMESPACE = /^[\w.-]{1,64}$/;

/** Reads and checks the environment. Guarantees: throws nothing but ConfigError. Written by hand, because zod would double the CLI's start-up. */
export function readConfig(env: Env = process.env, cwd: string = process.cwd()): Config {
  return {
    address: optional(env, 'TEMPORAL_ADDRESS', ADDRESS, 'host:port, such as localhost:7233'),
    temporalNamespace: optional(env, 'TEMPORAL_NAMESPACE', TEMPORAL_NAMESPACE, 'letters, digits, dot, dash') ?? 'default',
    home: homeOf(env, cwd),
    cache: resolve(cwd, env.COLONY_CACHE || join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'colony')),
    logLevel: oneOf(env, 'COLONY_LOG_LEVEL', LOG_LEVELS) ?? 'info',
    node: nodeName(env, 'COLONY_NODE') ?? nodeNameOf(hostname()),
    defaultNode: nodeName(env, 'COLONY_DEFAULT_NODE') ?? nodeName(env, 'COLONY_NODE') ?? nodeNameOf(hostname()),
    allowLocal: oneOf(env, 'COLONY_ALLOW_LOCAL', YES_NO) === 'true',
    hostPaths: list(env, 'COLONY_HOST_PATHS', ':', /^\//, 'absolute folders with colons between them'),
    capabilities: list(env, 'COLONY_CAPABILITIES', ',', /^[A-Z_]+$/, 'names such as NET_BIND_SERVICE with commas between them'),
    allowPrivileged: oneOf(env, 'COLONY_ALLOW_PRIVILEGED', YES_NO) === 'true',
    portAddress: optional(env, 'COLONY_PORT_ADDRESS', /^[\d.]{7,15}$/, 'an IPv4 address such as 127.0.0.1') ?? '127.0.0.1',
    kubeconfig: env.COLONY_KUBECONFIG || env.KUBECONFIG || undefined,
    secretsDir: resolve(cwd, env.COLONY_SECRETS_DIR || join(homeOf(env, cwd), 'secrets')),
    httpHosts: list(
      env,
      'COLONY_HTTP_HOSTS',
      ',',
      HTTP_HOST,
      'hosts such as api.example.com, *.example.com or 10.0.0.7:8080 with commas between them',
    ),
    temporalPort: integer(env, 'COLONY_TEMPORAL_PORT', 1, 65_535),
    uiPort: integer(env, 'COLONY_UI_PORT', 1, 65_535),
    healthPort: integer(env, 'COLONY_HEALTH_PORT', 1, 65_535),
    maxCachedWorkflows: integer(env, 'COLONY_MAX_CACHED_WORKFLOWS', 2, 1_000_000),
    scheduleToStartMs: integer(env, 'COLONY_SCHEDULE_TO_START_MS', 100, 86_400_000) ?? 30_000,
    firstRetryMs: integer(env, 'COLONY_FIRST_RETRY_MS', 10, 3_600_000) ?? 1_000,
    rolloverEvents: integer(env, 'COLONY_ROLLOVER_EVENTS', 50, 20_000) ?? 2_000,
    rolloverBytes: integer(env, 'COLONY_ROLLOVER_BYTES', 10_000, 20_000_000) ?? 1_000_000,
    rolloverUpdates: integer(env, 'COLONY_ROLLOVER_UPDATES', 10, 5_000) ?? 1_000,
    failpoint: optional(env, 'COLONY_FAILPOINT', /^\w+:(before|after):\d+$/, '<activity>:before|after:<n>'),
  };
}

/** The clone's root: the nearest folder above this code that has a package.json. True for sources and for bundles in dist/. */
export function cloneRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

/** COLONY_HOME, else `.colony` in the working folder if it is there, else `.colony` in the clone. */
function homeOf(env: Env, cwd: string): string {
  if (env.COLONY_HOME) return resolve(cwd, env.COLONY_HOME);
  const here = join(cwd, '.colony');
  return existsSync(here) ? here : join(cloneRoot(), '.colony');
}

function optional(env: Env, name: string, pattern: RegExp, allowed: string): string | undefined {
  const text = env[name]?.trim();
  if (!text) return undefined;
  if (!pattern.test(text)) throw new ConfigError(`${name} is ${JSON.stringify(text)}; it must be ${allowed}`);
  return text;
}

const nodeName = (env: Env, name: string): string | undefined => optional(env, name, NODE_NAME, 'lower-case letters, digits, dot, dash');

function list(env: Env, name: string, separator: string, pattern: RegExp, allowed: string): readonly string[] {
  const parts = (env[name] ?? '').split(separator).map((part) => part.trim());
  const given = parts.filter((part) => part !== '');
  const wrong = given.find((part) => !pattern.test(part));
  if (wrong !== undefined) throw new ConfigError(`${name} holds ${JSON.stringify(wrong)}; it must be ${allowed}`);
  return given;
}

function integer(env: Env, name: string, min: number, max: number): number | undefined {
  const text = env[name]?.trim();
  if (!text) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new ConfigError(`${name} is ${JSON.stringify(text)}; it must be a whole number from ${min} to ${max}`);
  }
  return value;
}

function oneOf<const T extends readonly string[]>(env: Env, name: string, allowed: T): T[number] | undefined {
  const text = env[name]?.trim();
  if (!text) return undefined;
  if (!allowed.includes(text)) throw new ConfigError(`${name} is ${JSON.stringify(text)}; it must be one of ${allowed.join(', ')}`);
  return text;
}

/** A host name may hold what a task queue's name should not. */
function nodeNameOf(host: string): string {
  const name = host
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '')
    .slice(0, 63);
  return name || 'node';
}
