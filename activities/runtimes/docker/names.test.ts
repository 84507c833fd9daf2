import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { containerName, isNameOf, MAX_NAMES } from './names.ts';

const owner = { uid: 'u-1', resource: 'webservice/default/shop', name: 'shop' };

describe('containerName', () => {
  it('tells the resource, its uid, the slot and the digest', () => {
    expect(containerName(owner, 2, 'abcdef0123456789')).toMatch(/^shop-[0-9a-f]{10}-2-abcdef01$/);
    expect(containerName(owner, 2, 'sha256:abcdef0123456789')).toBe(containerName(owner, 2, 'abcdef0123456789'));
  });

  it('counts on when strangers hold it', () => {
    const first = containerName(owner, 0, 'abcdef01');
    expect([2, 3].map((turn) => containerName(owner, 0, 'abcdef01', turn))).toEqual([`${first}-2`, `${first}-3`]);
  });

  it('is valid as a container and as a host, whatever the resource is called', () => {
    const any = fc.record({
      name: fc.string({ maxLength: 300, unit: 'binary' }),
      uid: fc.string(),
      slot: fc.nat(999_999),
      digest: fc.string(),
    });
    fc.assert(
      fc.property(any, fc.integer({ min: 1, max: MAX_NAMES }), ({ name, uid, slot, digest }, turn) => {
        const made = containerName({ uid, name, resource: 'r' }, slot, `abcdef01${digest}`, turn);
        expect(made).toMatch(/^[a-z0-9][a-z0-9-]{1,62}$/);
        expect(isNameOf(made, { uid, name, resource: 'r' }, slot, `abcdef01${digest}`)).toBe(true);
      }),
    );
  });

  it('differs for every uid and slot, however long the name', () => {
    const long = { ...owner, name: 'x'.repeat(100) };
    const names = [
      containerName(long, 0, 'd1'),
      containerName(long, 1, 'd1'),
      containerName({ ...long, uid: 'u-2' }, 0, 'd1'),
      containerName(long, 0, 'd2'),
    ];
    expect(new Set(names).size).toBe(4);
  });
});
