import { z } from 'zod';
import type { Port } from '../core/template.ts';
import { complain, given, repeated } from './schema.ts';

export const portNumber = z.int().min(1).max(65_535);

const port = z
  .strictObject({
    name: z.string().min(1).max(63).optional(),
    port: portNumber.optional().describe('In the instance; another word for containerPort'),
    containerPort: portNumber.optional().describe('In the instance'),
    hostPort: portNumber.optional().describe('On the node, for the first replica; a free one if it is left out'),
    protocol: z.enum(['TCP', 'UDP', 'tcp', 'udp']).optional().describe('TCP'),
  })
  .superRefine(({ port, containerPort }, context) => {
    if (port === undefined && containerPort === undefined) complain(context, [{ path: ['containerPort'], message: 'is required' }]);
    if (port !== undefined && containerPort !== undefined && port !== containerPort) {
      complain(context, [{ path: ['port'], message: `must be the same as containerPort, ${containerPort}, or left out (got ${port})` }]);
    }
  });

/** Ports in both spellings: {name, port, protocol}, or {hostPort, containerPort, protocol}. */
export const ports = z
  .array(port)
  .max(100)
  .superRefine((list, context) => {
    const at = (field: string) => (index: number) => [index, field];
    complain(context, [
      ...repeated(
        list,
        (one) => `${containerOf(one)}/${protocolOf(one)}`,
        (index) => [index, list[index]?.port === undefined ? 'containerPort' : 'port'],
      ),
      ...repeated(list, (one) => (one.hostPort === undefined ? undefined : `${one.hostPort}/${protocolOf(one)}`), at('hostPort')),
      ...repeated(list, (one) => one.name, at('name')),
    ]);
  });

export type Ports = z.infer<typeof ports>;

/** In normal form, by number. */
export function portsOf(list: Ports = []): Port[] {
  return list
    .map((one): Port => ({ container: containerOf(one), protocol: protocolOf(one), ...given({ name: one.name, host: one.hostPort }) }))
    .sort((a, b) => a.container - b.container || (a.protocol < b.protocol ? -1 : 1));
}

const containerOf = ({ port, containerPort }: Ports[number]): number => containerPort ?? port ?? 0;

const protocolOf = ({ protocol = 'TCP' }: Ports[number]): Port['protocol'] => (protocol.toLowerCase() === 'udp' ? 'udp' : 'tcp');
