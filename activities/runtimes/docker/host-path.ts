import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, normalize, sep } from 'node:path';
import { quote } from '../../../definitions/core/quote.ts';
import type { Template } from '../../../definitions/core/template.ts';
import { blocked } from './check-policy.ts';

/** Whoever has one of these has the machine, also when the agent speaks to another engine or has not yet found its own. */
const USUAL_SOCKETS = ['/var/run/docker.sock', '/run/docker.sock', '/run/containerd/containerd.sock', '/run/podman/podman.sock'];

/**
 * The real path of a folder or file that a template wants to mount, once it is known to lie below an allowed root.
 *
 * Guarantees: no `..`, no link that leads out of the roots, no socket, and nothing in which an engine's socket lies.
 * Caveats: whoever may write below a root can swap a folder for a link between this look and the engine's; roots should belong to the node's owner.
 */
export async function resolveHostPath(source: string, roots: readonly string[], engineSocket?: string): Promise<string> {
  const shown = quote(source);
  if (!isAbsolute(source) || source.includes('\0') || source.split(/[\\/]/).includes('..') || isBlank(source)) {
    throw blocked(`host path ${shown} is not allowed: it must be absolute and without ".."`);
  }
  const refusal = () => blocked(`host path ${shown} is not allowed on this node: set COLONY_HOST_PATHS on the node to a folder above it`);
  const allowed = await Promise.all(roots.filter(isAbsolute).map(real));
  // Said before looking whether it exists: else a refusal tells strangers what is on this machine.
  if (![...roots, ...allowed].some((root) => root !== undefined && isBelow(normalize(source), normalize(root)))) throw refusal();
  const path = await real(source);
  if (path === undefined) throw blocked(`host path ${shown} does not exist on this node: make it first`);
  if (!allowed.some((root) => root !== undefined && isBelow(path, root))) throw refusal();
  const sockets = [...USUAL_SOCKETS, ...(engineSocket === undefined ? [] : [engineSocket])];
  const realSockets = await Promise.all(sockets.map(async (socket) => (await real(socket)) ?? socket));
  if (realSockets.some((socket) => isBelow(socket, path)) || (await stat(path)).isSocket()) {
    throw blocked(`host path ${shown} is not allowed: it would give away the control of this machine`);
  }
  return path;
}

/** The same template with the real paths of its path mounts. */
export async function withRealPaths(template: Template, roots: readonly string[], engineSocket?: string): Promise<Template> {
  if (!template.mounts.some(({ type }) => type === 'path')) return template;
  const mounts = template.mounts.map(async (mount) =>
    mount.type === 'path' ? { ...mount, source: await resolveHostPath(mount.source, roots, engineSocket) } : mount,
  );
  return { ...template, mounts: await Promise.all(mounts) };
}

const isBlank = (path: string): boolean => path.trim() !== path || path === '';

const withSeparator = (path: string): string => (path.endsWith(sep) ? path : path + sep);

const isBelow = (path: string, root: string): boolean => withSeparator(path).startsWith(withSeparator(root));

async function real(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    return undefined;
  }
}
