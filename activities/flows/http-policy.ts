import { BlockList, isIP } from 'node:net';

/** Where HTTP calls of flows may go; said by the operator of the workers, never by a manifest. */
export interface HttpPolicy {
  /** `api.example.com`, `*.example.com`, an address, each with `:port` if only that one; empty: everywhere that is not closed to all. */
  readonly hosts: readonly string[];
}

export const openPolicy: HttpPolicy = { hosts: [] };

/**
 * Addresses that nobody may call: link-local ones and those at which clouds hand out a machine's credentials, also as they are
 * written within IPv6 (mapped, 6to4, NAT64).
 */
const CLOSED = new BlockList();
for (const [net, prefix] of [
  ['169.254.0.0', 16],
  ['168.63.129.16', 32],
  ['100.100.100.200', 32],
  ['192.0.0.192', 32],
] as const)
  CLOSED.addSubnet(net, prefix, 'ipv4');
for (const [net, prefix] of [
  ['fe80::', 10],
  ['fd00:ec2::254', 128],
  ['fd20:ce::254', 128],
  ['64:ff9b::a9fe:0', 112],
  ['2002:a9fe::', 32],
] as const)
  CLOSED.addSubnet(net, prefix, 'ipv6');

/** Whether an address is closed to everybody, however it was found. */
export function isClosed(address: string): boolean {
  const family = isIP(address);
  return family === 0 || CLOSED.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Why a call may not go there; undefined when it may, as far as its text tells. Whatever its name stands for is looked at again. */
export function refusalOf({ protocol, hostname, port }: URL, { hosts }: HttpPolicy): string | undefined {
  if (protocol !== 'http:' && protocol !== 'https:') return `only http and https addresses are called, not ${protocol}`;
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host) !== 0 && isClosed(host)) return closedSentence(host);
  const at = port || (protocol === 'https:' ? '443' : '80');
  if (hosts.length > 0 && !hosts.some((pattern) => isMeant(pattern, host, at))) return `${host} is not among COLONY_HTTP_HOSTS`;
  return undefined;
}

export const closedSentence = (host: string, address = host): string =>
  `${host} ${address === host ? 'is' : 'stands for'} an address that flows may not call (link-local, or a cloud's own)`;

function isMeant(pattern: string, host: string, port: string): boolean {
  const [, named = pattern, wantedPort] = /^(\[.*\]|[^:]*):(\d+)$/.exec(pattern) ?? [];
  if (wantedPort !== undefined && wantedPort !== port) return false;
  const wanted = named.replace(/^\[|\]$/g, '').toLowerCase();
  return wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) && host.length > wanted.length - 1 : wanted === host;
}
