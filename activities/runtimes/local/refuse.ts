import type { Template } from '../../../definitions/core/template.ts';
import type { NodePolicy } from '../policy.ts';
import { Problem } from '../runtime.ts';

/** What POSIX shells pass on; they drop other variables without a word. */
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Throws Problem when plain processes are not allowed here. */
export function refuseUnlessAllowed(policy: NodePolicy): void {
  if (policy.allowLocal) return;
  throw new Problem('RuntimeUnavailable', 'This node does not run local processes; set COLONY_ALLOW_LOCAL=true on it to allow them.');
}

/**
 * Throws Problem when a template asks for what a plain process cannot have: it sees the node's own files, network and user.
 *
 * Caveats: limits are not held. Cores and the number of processes need cgroups, and a limit of the address space would stop
 * every runtime that reserves more than it uses (Node.js, Java, Go).
 */
export function refuseForeign(template: Template): void {
  const { entrypoint, command, mounts, network, user, privileged, capabilities, env } = template;
  if (entrypoint.length + command.length === 0) throw blocked('needs a command: there is no image that could bring one');
  if (mounts.length > 0) throw blocked('has no volumes: its processes see the files of the node; leave out volumes and volumeMounts');
  if (network !== undefined) throw blocked('has no networks: its processes are in that of the node; leave out network');
  if (user !== undefined) throw blocked("runs everything as the agent's user; leave out user");
  if (privileged) throw blocked("gives nobody more rights than the agent's; leave out privileged");
  if (capabilities.length > 0) throw blocked("gives nobody more rights than the agent's; leave out capabilities");
  const stray = Object.keys(env).find((name) => !VARIABLE.test(name));
  if (stray !== undefined) throw blocked(`passes only variables of letters, digits and _; rename ${JSON.stringify(stray)} in env`);
}

const blocked = (what: string): Problem => new Problem('Blocked', `Runtime local ${what}.`);
