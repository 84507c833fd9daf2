import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { credentialsFor } from './credentials.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'colony-login-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const keep = (config: object | string): void =>
  writeFileSync(join(folder, 'config.json'), typeof config === 'string' ? config : JSON.stringify(config));
const auth = (text: string) => ({ auth: Buffer.from(text).toString('base64') });

describe('credentials of a node', () => {
  it.each([
    { name: 'a registry by its host', kept: 'registry.example.com', image: 'registry.example.com/team/app' },
    { name: 'a registry with a port', kept: '127.0.0.1:5000', image: '127.0.0.1:5000/app' },
    { name: 'a registry that was written as an address', kept: 'https://registry.example.com', image: 'registry.example.com/app' },
    { name: 'the hub, for a name without a host', kept: 'https://index.docker.io/v1/', image: 'team/app' },
    { name: 'the hub, for an official image', kept: 'https://index.docker.io/v1/', image: 'busybox' },
  ])('are those for $name', async ({ kept, image }) => {
    keep({ auths: { other: auth('x:y'), [kept]: auth('ada:se:cret') } });
    expect(await credentialsFor(image, folder)).toMatchObject({ username: 'ada', password: 'se:cret' });
  });

  it.each(['registry.example.com.evil.org/app', 'evil.org/registry.example.com/app', 'registry.example.com:444/app', 'app'])(
    'are never shown to another registry: %s',
    async (image) => {
      keep({ auths: { 'registry.example.com': auth('ada:secret') } });
      expect(await credentialsFor(image, folder)).toBeUndefined();
    },
  );

  it('may be a token', async () => {
    keep({ auths: { 'r.example.com': { identitytoken: 'token' } } });
    expect(await credentialsFor('r.example.com/app', folder)).toEqual({ identitytoken: 'token', serveraddress: 'r.example.com' });
  });

  it.each([undefined, '', 'no json', 'null', '{"auths":{"r.example.com":null}}', '{"credsStore":"not/a program"}'])(
    'are none when the file says %s',
    async (text) => {
      if (text !== undefined) keep(text);
      expect(await credentialsFor('r.example.com/app', folder)).toBeUndefined();
    },
  );

  it('are asked of the program that keeps them, which is told the registry; what it does not have may be in the file', async () => {
    const program = join(folder, 'docker-credential-vault');
    writeFileSync(program, '#!/bin/sh\nread -r server\n[ "$server" = r.example.com ] && echo \'{"Username":"ada","Secret":"kept"}\'\n');
    chmodSync(program, 0o755);
    vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`);
    keep({ credHelpers: { 'r.example.com': 'vault', 's.example.com': 'vault' }, auths: { 's.example.com': auth('bob:file') } });
    expect(await credentialsFor('r.example.com/app', folder)).toMatchObject({ username: 'ada', password: 'kept' });
    expect(await credentialsFor('s.example.com/app', folder)).toMatchObject({ username: 'bob', password: 'file' });
  });

  it('are looked for where DOCKER_CONFIG says', async () => {
    keep({ auths: { 'r.example.com': auth('ada:secret') } });
    vi.stubEnv('DOCKER_CONFIG', folder);
    expect(await credentialsFor('r.example.com/app')).toMatchObject({ username: 'ada' });
  });
});
