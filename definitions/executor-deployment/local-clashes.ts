import { quote } from '../core/quote.ts';
import type { Clash } from '../replicas/schema.ts';
import type { Env } from '../replicas/schema-env.ts';
import type { ExecutorDeploymentSpec } from './schema.ts';

/** What POSIX shells pass on; they drop other variables without a word. */
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

const FILES = 'a process sees the files of the node';
const NETWORK = 'a process is in the network of the node';
const USER = "a process runs as the agent's user";
const RIGHTS = "a process has the rights of the agent's user";

/** What a plain process cannot have: refused where it was written, for no node could ever do it. */
export function localClashes({ runtime, config, ...spec }: ExecutorDeploymentSpec): Clash[] {
  if (runtime !== 'local') return [];
  return [
    ...idle(spec),
    ...unfit(['volumes'], spec.volumes?.length, FILES),
    ...unfit(['config', 'volumes'], config?.volumes?.length, FILES),
    ...unfit(['network'], spec.network, NETWORK),
    ...unfit(['config', 'network'], config?.network, NETWORK),
    ...unfit(['user'], spec.user !== undefined, USER),
    ...unfit(['privileged'], spec.privileged, RIGHTS),
    ...unfit(['capabilities'], spec.capabilities?.length, RIGHTS),
    ...strays(['env'], spec.env),
    ...strays(['config', 'env'], config?.env),
  ];
}

/** Left out, it is a placeholder that only waits; written down and empty it is a mistake, and a wait that says Ready would hide it. */
function idle({ command, entrypoint = [], args = [] }: Pick<ExecutorDeploymentSpec, 'command' | 'entrypoint' | 'args'>): Clash[] {
  if (command?.length !== 0 || entrypoint.length + args.length > 0) return [];
  return [
    {
      path: ['command'],
      message: 'must not be empty when runtime is local: say what to run, or leave it out for a process that only waits',
    },
  ];
}

const unfit = (path: Clash['path'], given: unknown, why: string): Clash[] =>
  given ? [{ path, message: `is not for runtime local: ${why}` }] : [];

function strays(path: Clash['path'], env: Env = {}): Clash[] {
  const names = Array.isArray(env)
    ? env.map(({ name }, index) => ({ name, at: [index, 'name'] }))
    : Object.keys(env).map((name) => ({ name, at: [name] }));
  return names
    .filter(({ name }) => !VARIABLE.test(name))
    .map(({ name, at }) => ({
      path: [...path, ...at],
      message: `must be letters, digits and _ when runtime is local: shells drop others (got ${quote(name)})`,
    }));
}
