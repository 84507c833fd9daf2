import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PullPolicy } from '../../definitions/core/template.ts';
import { startRegistry } from '../../scripts/registry.mjs';
import { registryAddress } from '../support/docker/host.ts';
import { engine, IMAGE, Installation, newOwner, revision } from './runtime-fixture.ts';

const installation = new Installation();
afterEach(() => installation.clear());

const forever = new AbortController().signal;
const resolve = (image: string, policy: PullPolicy, progress: (text: string) => void = () => undefined) =>
  installation.runtime().resolveImage(image, policy, progress, forever);

/** Pushed to the registry, and no longer in the engine. */
async function published(): Promise<string> {
  if (registryAddress === undefined) throw new Error('there is no registry for the tests, and these prove nothing without one');
  const repository = `${registryAddress}/colony/${randomUUID()}`;
  await engine.tag(IMAGE, repository, 'v1');
  await engine.push(repository, 'v1');
  await engine.removeImage(`${repository}:v1`);
  return repository;
}

describe('resolveImage', () => {
  it('pins an image that no registry knows by its id', async () => {
    const id = await engine.imageId(IMAGE);
    expect(await resolve(IMAGE, 'IfNotPresent')).toEqual({ image: IMAGE, pin: { ref: id, bytes: expect.any(Number) } });
    expect(await resolve(IMAGE, 'Never')).toMatchObject({ pin: { ref: id } });
    expect(await resolve(id!, 'Always')).toMatchObject({ pin: { ref: id } });
  });

  it('pulls what is missing, tells how it goes, and pins it by digest', async () => {
    const repository = await published();
    const told: string[] = [];
    expect(await resolve(`${repository}:v1`, 'Never')).toMatchObject({ problem: { reason: 'ImageMissing' } });
    const answer = await resolve(`${repository}:v1`, 'IfNotPresent', (text) => told.push(text));
    expect(answer.pin?.ref).toMatch(new RegExp(`^${repository}@sha256:[0-9a-f]{64}$`));
    expect(told[0]).toContain(`pulling ${repository}:v1`);
    expect(await resolve(`${repository}:v1`, 'Always')).toEqual(answer);
    await engine.removeImage(`${repository}:v1`);
  });

  it('shows a registry that asks for it what this node was logged in with, and says so when that is nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'colony-login-'));
    // "open sesame", as htpasswd keeps it.
    const users = 'ali:$2b$05$abcdefghijklmnopqrstuupx2xBUC4954936wVIjyyPHmUBFu0wCW\n';
    const registry = await startRegistry(join(folder, 'registry'), { users });
    const image = `${registry.address}/cave:v1`;
    try {
      await engine.tag(IMAGE, `${registry.address}/cave`, 'v1');
      await engine.push(`${registry.address}/cave`, 'v1', { username: 'ali', password: 'open sesame' });
      await engine.removeImage(image);
      vi.stubEnv('DOCKER_CONFIG', folder);
      expect(await resolve(image, 'IfNotPresent')).toMatchObject({ problem: { reason: 'PullDenied' } });
      const auth = Buffer.from('ali:open sesame').toString('base64');
      writeFileSync(join(folder, 'config.json'), JSON.stringify({ auths: { [registry.address]: { auth } } }));
      expect((await resolve(image, 'IfNotPresent')).pin?.ref).toMatch(/@sha256:/);
      await engine.removeImage(image);
    } finally {
      vi.unstubAllEnvs();
      await registry.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.each(['v2', 'latest'])('says that there is no tag %s', async (tag) => {
    const repository = await published();
    expect(await resolve(`${repository}:${tag}`, 'IfNotPresent')).toMatchObject({ problem: { reason: 'ImageMissing' } });
  });

  it('says that there is no repository, or that a name is none', async () => {
    expect(await resolve(`${registryAddress}/nothing/here:v1`, 'IfNotPresent')).toMatchObject({ problem: { reason: 'ImageMissing' } });
    expect(await resolve('Not A Name', 'IfNotPresent')).toMatchObject({ problem: { reason: 'ImageMissing' } });
  });

  it('fails for now when the registry does not answer, even if the image is here', async () => {
    const nobody = '127.0.0.1:1/x';
    await expect(resolve(`${nobody}:v1`, 'IfNotPresent')).rejects.toMatchObject({ name: 'RegistryUnreachable' });
    await engine.tag(IMAGE, nobody, 'v1');
    await expect(resolve(`${nobody}:v1`, 'Always')).rejects.toMatchObject({ name: 'RegistryUnreachable' });
    expect(await resolve(`${nobody}:v1`, 'IfNotPresent')).toMatchObject({ pin: {} });
    await engine.removeImage(`${nobody}:v1`);
    await expect(resolve('no-such-host.invalid/x:v1', 'IfNotPresent')).rejects.toMatchObject({ name: 'RegistryUnreachable' });
  });

  it('ends when nobody waits any more', async () => {
    const image = `${await published()}:v1`;
    const pulling = installation.runtime().resolveImage(image, 'Always', () => undefined, AbortSignal.abort(new Error('enough')));
    await expect(pulling).rejects.toThrow('enough');
  });
});

describe('ensure', () => {
  it('pulls a pinned image that is gone from the node, once for all slots', async () => {
    const repository = await published();
    const { pin } = await resolve(`${repository}:v1`, 'IfNotPresent');
    await engine.removeImage(`${repository}:v1`);
    await engine.removeImage(pin!.ref);
    const [runtime, owner] = [installation.runtime(), newOwner()];
    const pinned = { ...revision(), image: pin! };
    await Promise.all([0, 1].map((slot) => runtime.ensure(owner, pinned, slot)));
    expect(await runtime.list(owner.uid)).toMatchObject([{ state: 'running' }, { state: 'running' }]);
  });

  it('says that an image is gone which only this node knew', async () => {
    const gone = { ...revision(), image: { ref: `sha256:${'0'.repeat(64)}` } };
    await expect(installation.runtime().ensure(newOwner(), gone, 0)).rejects.toMatchObject({ reason: 'ImageMissing' });
  });
});
