import { describe, expect, it } from 'vitest';
import { whyNotOurs } from './adoption.ts';

const shop = { kind: 'Application', name: 'shop', uid: 'uid-shop' };
const reference = { apiVersion: 'app.colonies.io/v1', kind: 'Application', name: 'shop', uid: 'uid-shop', controller: true };
const pool = ({
  ownerReferences = [],
  annotations = {},
}: {
  readonly ownerReferences?: readonly (typeof reference)[];
  readonly annotations?: Readonly<Record<string, string>>;
}) => ({ kind: 'WorkerPool', metadata: { name: 'shop-p', ownerReferences, annotations } });

describe('whyNotOurs', () => {
  const nobody = 'WorkerPool shop-p exists and belongs to nobody; its annotation colony.io/adopt: "true" would give it away';
  const cases = [
    { name: 'lets an owner have its own', of: { ownerReferences: [reference] }, why: undefined },
    {
      name: 'takes nothing away from another owner, also with consent',
      of: { ownerReferences: [{ ...reference, name: 'other', uid: 'uid-other' }], annotations: { 'colony.io/adopt': 'true' } },
      why: 'WorkerPool shop-p exists and belongs to Application other',
    },
    {
      name: 'knows an earlier owner of the same name for another one',
      of: { ownerReferences: [{ ...reference, uid: 'uid-before' }] },
      why: 'WorkerPool shop-p exists and belongs to Application shop',
    },
    { name: 'asks for consent where there is no controller', of: { ownerReferences: [{ ...reference, controller: false }] }, why: nobody },
    { name: 'takes consent to anybody', of: { annotations: { 'colony.io/adopt': 'true' } }, why: undefined },
    { name: 'takes consent by name', of: { annotations: { 'colony.io/adopt': 'Application/shop' } }, why: undefined },
    { name: 'does not take consent to somebody else', of: { annotations: { 'colony.io/adopt': 'Application/other' } }, why: nobody },
  ];

  it.each(cases)('$name', ({ of, why }) => expect(whyNotOurs(shop, pool(of))).toBe(why));

  it('lets one that does not say who it is have what is given to anybody, and nothing else', () => {
    expect(whyNotOurs(undefined, pool({ annotations: { 'colony.io/adopt': 'true' } }))).toBeUndefined();
    expect(whyNotOurs(undefined, pool({ annotations: { 'colony.io/adopt': 'undefined/undefined' } }))).toBe(nobody);
    expect(whyNotOurs(undefined, pool({ ownerReferences: [reference] }))).toContain('belongs to Application shop');
  });

  it('lets one that is not there yet have nothing that has an owner', () => {
    const { uid: _uid, ...unborn } = shop;
    expect(whyNotOurs(unborn, pool({ ownerReferences: [reference] }))).toContain('belongs to Application shop');
  });
});
