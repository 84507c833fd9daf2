import { describe, expect, it } from 'vitest';
import { revisionWith } from '../../../test/support/sample-revision.ts';
import { strictPolicy } from '../policy.ts';
import { checkPolicy } from './check-policy.ts';

const blocked = expect.objectContaining({ reason: 'Blocked' });

describe('checkPolicy', () => {
  it.each([
    { name: 'privileges', asked: { privileged: true } },
    { name: 'a capability', asked: { capabilities: ['NET_ADMIN'] } },
    { name: 'all capabilities', asked: { capabilities: ['ALL'] } },
    { name: "the node's network", asked: { network: 'host' } },
    { name: "another container's network", asked: { network: 'container:x' } },
    { name: 'a path for a volume', asked: { mounts: [{ type: 'volume' as const, source: '/etc', target: '/t', readOnly: false }] } },
    { name: 'a volume without a name', asked: { mounts: [{ type: 'volume' as const, source: '', target: '/t', readOnly: false }] } },
  ])('refuses $name by default', ({ asked }) => {
    expect(() => checkPolicy(revisionWith(asked).template, strictPolicy)).toThrow(blocked);
  });

  it('allows what the node allows, in every spelling', () => {
    const policy = { ...strictPolicy, capabilities: ['CAP_NET_ADMIN'], allowPrivileged: true };
    const asked = { privileged: true, capabilities: ['net_admin'], network: 'back' };
    expect(() => checkPolicy(revisionWith(asked).template, policy)).not.toThrow();
  });
});
