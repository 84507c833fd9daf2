import { describe, expect, it } from 'vitest';
import { isImageId, parseReference, pinOf } from './references.ts';

const sha = `sha256:${'a'.repeat(64)}`;

describe('parseReference', () => {
  it.each([
    { image: 'busybox', repository: 'busybox', version: 'latest' },
    { image: 'busybox:1.36', repository: 'busybox', version: '1.36' },
    { image: 'docker.io/library/busybox:1.36', repository: 'busybox', version: '1.36' },
    { image: 'index.docker.io/team/app', repository: 'team/app', version: 'latest' },
    { image: 'registry.example:5000/team/app', repository: 'registry.example:5000/team/app', version: 'latest' },
    { image: 'registry.example:5000/app:v1', repository: 'registry.example:5000/app', version: 'v1' },
    { image: `app@${sha}`, repository: 'app', version: sha },
    { image: `registry.example:5000/app:v1@${sha}`, repository: 'registry.example:5000/app', version: sha },
  ])('reads $image', ({ image, repository, version }) => expect(parseReference(image)).toEqual({ repository, version }));

  it('knows an id, which no registry knows', () => {
    expect([sha, 'a'.repeat(64), 'busybox', `app@${sha}`].map(isImageId)).toEqual([true, true, false, false]);
  });
});

describe('pinOf', () => {
  it('is the digest of the same repository, else the id', () => {
    const RepoDigests = [`other@${sha}`, `busybox@${sha}`];
    expect(pinOf('docker.io/library/busybox:1', { Id: 'sha256:id', RepoDigests })).toBe(`busybox@${sha}`);
    expect(pinOf('mine:1', { Id: 'sha256:id', RepoDigests })).toBe('sha256:id');
    expect(pinOf('mine:1', { Id: 'sha256:id', RepoDigests: null })).toBe('sha256:id');
  });
});
