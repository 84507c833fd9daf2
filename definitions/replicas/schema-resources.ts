import { z } from 'zod';
import type { Limits } from '../core/template.ts';
import { amountOf, type Quantity, readCpus, readMemory } from './quantity.ts';
import { type Clash, complain, given } from './schema.ts';

/** An amount with a unit, checked by the function that reads it. */
export const quantity = (read: (amount: string | number) => Quantity) =>
  z.union([z.string(), z.number()]).superRefine((amount, context) => {
    const found = read(amount);
    if ('problem' in found) complain(context, [{ path: [], message: found.problem }]);
  });

export const cpus = quantity(readCpus);
export const memory = quantity(readMemory);

const amounts = z.strictObject({
  cpu: cpus.optional().describe('Cores: 0.5, "500m"'),
  memory: memory.optional().describe('Bytes: "512Mi", "1Gi"'),
});

type Amounts = z.infer<typeof amounts>;

/** Resources as Kubernetes spells them. */
export const requestsAndLimits = z
  .strictObject({ requests: amounts.optional(), limits: amounts.optional() })
  .superRefine((one, context) => complain(context, excess(one)));

const amountsWithGpu = amounts.extend({ gpu: z.int().min(0).max(1_000).optional().describe('How many; kubernetes only') });

/** Resources in both spellings: Docker's (cpus, memory) and Kubernetes' (requests, limits). */
export const resources = z
  .strictObject({
    cpus: cpus.optional().describe('Cores at most'),
    memory: memory.optional().describe('Bytes at most'),
    requests: amountsWithGpu.optional(),
    limits: amountsWithGpu.optional(),
  })
  .superRefine((one, context) => {
    const { cpus: ofDocker, memory: memoryOfDocker, limits } = one;
    const clash = (field: string, limit: string): Clash => ({ path: [field], message: `must be the same as limits.${limit}, or left out` });
    complain(context, [
      ...excess(one),
      ...(ofDocker !== undefined && limits?.cpu !== undefined && read(ofDocker, readCpus) !== read(limits.cpu, readCpus)
        ? [clash('cpus', 'cpu')]
        : []),
      ...(memoryOfDocker !== undefined &&
      limits?.memory !== undefined &&
      read(memoryOfDocker, readMemory) !== read(limits.memory, readMemory)
        ? [clash('memory', 'memory')]
        : []),
    ]);
  });

export type Resources = z.infer<typeof resources>;

/** The limits of an instance; requests keep nothing free on a node, so they do not count. Earlier ones win. */
export function limitsOf(...given_: readonly (Resources | undefined)[]): Limits {
  const cores = first(given_, (one) => one.cpus ?? one.limits?.cpu);
  const bytes = first(given_, (one) => one.memory ?? one.limits?.memory);
  return given({ cpus: read(cores, readCpus), memoryBytes: read(bytes, readMemory) });
}

function first<T, R>(list: readonly (T | undefined)[], pick: (one: T) => R | undefined): R | undefined {
  for (const one of list) {
    const found = one === undefined ? undefined : pick(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

function excess({ requests, limits }: { readonly requests?: Amounts | undefined; readonly limits?: Amounts | undefined }): Clash[] {
  const over = (field: 'cpu' | 'memory', reader: (amount: string | number) => Quantity): Clash[] => {
    const [wanted, most] = [requests?.[field], limits?.[field]];
    if (wanted === undefined || most === undefined || Number(read(wanted, reader)) <= Number(read(most, reader))) return [];
    return [{ path: ['requests', field], message: `must not be more than limits.${field}, ${most} (got ${wanted})` }];
  };
  return [...over('cpu', readCpus), ...over('memory', readMemory)];
}

const read = (amount: string | number | undefined, reader: (amount: string | number) => Quantity): number | undefined =>
  amount === undefined ? undefined : amountOf(reader(amount));
