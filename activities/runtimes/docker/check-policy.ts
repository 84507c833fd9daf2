import { quote } from '../../../definitions/core/quote.ts';
import type { Template } from '../../../definitions/core/template.ts';
import type { NodePolicy } from '../policy.ts';
import { Problem } from '../runtime.ts';
import { capabilityName } from './create-body.ts';

const VOLUME_NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,127}$/;
const NETWORK_NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,127}$/;

/** Throws Problem `Blocked` for whatever this node does not allow; paths are looked at by `resolveHostPath`. */
export function checkPolicy(template: Template, policy: NodePolicy): void {
  const { privileged, capabilities, network, mounts } = template;
  if (privileged && !policy.allowPrivileged) {
    throw blocked(
      'it asks to be privileged, which this node does not allow: set COLONY_ALLOW_PRIVILEGED on the node, or ask for single capabilities',
    );
  }
  const allowed = new Set(policy.capabilities.map(capabilityName));
  const refused = capabilities.map(capabilityName).filter((name) => !allowed.has(name));
  if (refused.length > 0) {
    throw blocked(`it asks for ${refused.sort().join(', ')}, which this node does not allow: set COLONY_CAPABILITIES on the node`);
  }
  // `host` and `container:…` are namespaces of others.
  if (network !== undefined && (network === 'host' || !NETWORK_NAME.test(network))) {
    throw blocked(`network ${quote(network)} is not allowed: name a network of its own`);
  }
  for (const { type, source } of mounts) {
    if (type === 'volume' && !VOLUME_NAME.test(source)) throw blocked(`${quote(source)} is not the name of a volume`);
  }
}

export const blocked = (message: string): Problem => new Problem('Blocked', message);
