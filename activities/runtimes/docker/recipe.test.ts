import { describe, expect, it } from 'vitest';
import { revisionWith } from '../../../test/support/sample-revision.ts';
import { strictPolicy } from '../policy.ts';
import { handEdits, recipeOf } from './recipe.ts';

const kernel = { memory: true, swap: true, pids: true };
const recipe = recipeOf(revisionWith({ limits: { cpus: 0.5, memoryBytes: 1000, pids: 10 } }).template, strictPolicy);
const host = { Memory: 1000, MemorySwap: 1000, NanoCpus: 5e8, PidsLimit: 10, RestartPolicy: { Name: 'no' } };
const inspected = (changes: object = {}, networks: readonly string[] = ['bridge']) =>
  ({ HostConfig: { ...host, ...changes }, NetworkSettings: { Networks: Object.fromEntries(networks.map((name) => [name, {}])) } }) as never;

describe('handEdits', () => {
  it('finds nothing on what is as it was asked for', () => {
    expect(handEdits(recipe, inspected(), kernel)).toBeUndefined();
    expect(handEdits({ ...recipe, network: 'back' }, inspected({}, ['back']), kernel)).toBeUndefined();
  });

  it("finds nothing where the engine's own network was asked for by its other name", () => {
    const { network } = recipeOf(revisionWith({ network: 'default' }).template, strictPolicy);
    expect(handEdits({ ...recipe, network }, inspected(), kernel)).toBeUndefined();
  });

  it.each([
    { changed: { Memory: 2000 }, networks: ['bridge'], said: 'memory is 2000 instead of 1000' },
    { changed: { NanoCpus: 1e9 }, networks: ['bridge'], said: 'cpus is 1 instead of 0.5' },
    { changed: { PidsLimit: null }, networks: ['bridge'], said: 'process limit is 0 instead of 10' },
    { changed: { RestartPolicy: { Name: 'always' } }, networks: ['bridge'], said: 'restart policy is always instead of no' },
    { changed: { CpusetCpus: '0' }, networks: ['bridge'], said: 'cpu set is 0 instead of any' },
    { changed: {}, networks: ['bridge', 'back'], said: "it is in 2 networks instead of the engine's own" },
    { changed: {}, networks: [], said: "it is in 0 networks instead of the engine's own" },
  ])('says that $said', ({ changed, networks, said }) => {
    expect(handEdits(recipe, inspected(changed, networks), kernel)).toBe(`somebody changed it: ${said}`);
  });

  it('does not blame anybody for limits that the kernel cannot hold', () => {
    const dropped = inspected({ Memory: 0, MemorySwap: -1, PidsLimit: null });
    expect(handEdits(recipe, dropped, { memory: false, swap: false, pids: false })).toBeUndefined();
    expect(handEdits(recipe, inspected({ MemorySwap: -1 }), { ...kernel, swap: false })).toBeUndefined();
  });
});
