import { describe, expect, it } from 'vitest';
import { owner, revisionWith } from '../../../test/support/sample-revision.ts';
import { identityOf, labelsOf } from './labels.ts';

const scope = { cluster: 'c-1', node: 'n-1' };
const recipe = { memory: 1, nanoCpus: 2, pids: 3, network: null };
const probes = {
  liveness: {
    check: { type: 'tcp', port: 80 },
    initialDelaySeconds: 0,
    periodSeconds: 1,
    timeoutSeconds: 1,
    successThreshold: 1,
    failureThreshold: 3,
  },
} as const;
const ports = [
  { name: 'http', container: 80, protocol: 'tcp' },
  { container: 81, protocol: 'udp' },
] as const;
const labels = labelsOf(
  scope,
  owner,
  revisionWith({ probes, ports, labels: { team: 'a', 'colony.uid': 'mine', 'Colony.Slot': '7' } }),
  2,
  recipe,
);

describe('labels', () => {
  it('say everything that an agent must know which has just started', () => {
    expect(identityOf(labels, scope)).toEqual({
      owner,
      slot: 2,
      digest: 'abcdef0123456789',
      generation: 3,
      probes,
      portNames: [{ name: 'http', container: 80, protocol: 'tcp' }],
      recipe,
    });
  });

  it('of a person are kept, unless they would stand for ours', () => {
    expect(labels).toMatchObject({ team: 'a', 'colony.uid': 'u-1' });
    expect(Object.keys(labels)).not.toContain('Colony.Slot');
  });
});

describe('identityOf', () => {
  it.each([
    { name: 'no labels', strange: null },
    { name: 'another cluster', strange: { ...labels, 'colony.cluster': 'c-2' } },
    { name: 'another node', strange: { ...labels, 'colony.node': 'n-2' } },
    { name: 'no uid', strange: { ...labels, 'colony.uid': '' } },
    { name: 'a slot below none', strange: { ...labels, 'colony.slot': '-1' } },
    { name: 'a slot that is no number', strange: { ...labels, 'colony.slot': '1e3' } },
    { name: 'a slot in another spelling', strange: { ...labels, 'colony.slot': '01' } },
    { name: 'no digest', strange: { ...labels, 'colony.digest': '' } },
    { name: 'a generation that is no number', strange: { ...labels, 'colony.generation': 'x' } },
  ])('knows nobody by $name', ({ strange }) => expect(identityOf(strange, scope)).toBeUndefined());

  it('takes broken JSON for none', () => {
    expect(identityOf({ ...labels, 'colony.probes': '{', 'colony.recipe': '7' }, scope)).toMatchObject({ probes: {} });
  });
});
