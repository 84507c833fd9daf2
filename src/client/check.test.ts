import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { KnownKind } from './api.ts';
import { check } from './check.ts';
import type { Context } from './context.ts';
import { InvalidError, UnknownKindError } from './errors.ts';

const widget = (spec: z.ZodType): KnownKind =>
  ({ kind: { group: 'example.com', version: 'v1', scope: 'Namespaced', spec }, builtIn: false, names: { kind: 'Widget' } }) as KnownKind;

const small = widget(z.strictObject({ size: z.int().max(3) }));

/** A door that knows widgets by an earlier look, and what a look now would show. */
const door = (of: () => Promise<KnownKind>, now: KnownKind | undefined): Context =>
  ({ registry: { of, reread: async () => now } }) as unknown as Context;

const bad = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w1', labels: { a: 'b c' } }, spec: { size: 4 } };
const paths = async (context: Context, input: unknown = bad) => {
  const error = await check(context, input).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(InvalidError);
  return (error as InvalidError).issues.map(({ path }) => path);
};

describe('a manifest whose metadata are bad', () => {
  it('is refused for its spec at the same time', async () => {
    expect(await paths(door(async () => small, small))).toEqual(['metadata.labels.a', 'spec.size']);
  });

  it('is measured by the definition as it stands now', async () => {
    const grown = widget(z.strictObject({ size: z.int().max(9) }));
    expect(await paths(door(async () => small, grown))).toEqual(['metadata.labels.a']);
    expect(await paths(door(async () => small, undefined))).toEqual(['metadata.labels.a']);
  });

  it('is refused for them alone where its kind cannot be found', async () => {
    const nobody = () => Promise.reject(new UnknownKindError('nobody knows it', []));
    expect(await paths(door(nobody, undefined))).toEqual(['metadata.labels.a']);
  });
});
