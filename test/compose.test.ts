import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cloneRoot, readConfig } from '../src/config.ts';
import { serverSettings } from '../src/embedded/server-settings.ts';

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly restart?: string;
  readonly healthcheck?: unknown;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly deploy?: { readonly replicas?: number };
}

const read = (name: string): string => readFileSync(join(cloneRoot(), name), 'utf8');
const text = read('docker-compose.yml');
const compose = parse(text, { merge: true }) as { services: Record<string, Service>; volumes: Record<string, unknown> };
const services = Object.entries(compose.services);

/** Every variable that the code asks for. */
function variablesRead(): Set<string> {
  const asked = new Set<string>();
  const env = new Proxy({}, { get: (_, name) => void asked.add(String(name)) });
  readConfig(env);
  return asked;
}

describe('docker-compose.yml', () => {
  it('is PostgreSQL, Temporal, its UI and two workers', () => {
    expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(['postgres', 'temporal', 'ui', 'worker']));
    expect(compose.services.worker?.deploy?.replicas).toBe(2);
  });

  it('names no variable in a colony service that the code does not read', () => {
    const known = variablesRead();
    const named = services.filter(([, { build }]) => build).flatMap(([, { environment }]) => Object.keys(environment ?? {}));
    expect(named.length).toBeGreaterThan(4);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  it('has no secret of its own: each must be given', () => {
    const secrets = services.flatMap(([, { environment }]) =>
      Object.entries(environment ?? {}).filter(([key]) => /PASS|PWD|SECRET|TOKEN|KEY/.test(key)),
    );
    expect(secrets.length).toBeGreaterThan(2);
    for (const [key, value] of secrets) expect(`${key}=${value}`).toMatch(/=\$\{\w+:\?[^}]+\}$/);
    expect(read('.env.example')).toMatch(/^POSTGRES_PASSWORD=$/m);
  });

  it('lists every variable of its own in .env.example', () => {
    const wanted = new Set([...text.matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name]) => name));
    const listed = new Set([...read('.env.example').matchAll(/^(?:# )?(\w+)=/gm)].map(([, name]) => name));
    expect([...wanted].sort()).toEqual([...listed].sort());
  });

  it('starts every service again, and knows whether the lasting ones are well', () => {
    for (const [name, service] of services) {
      expect(service.restart, name).toMatch(/^(unless-stopped|on-failure:\d+)$/);
      if (service.restart === 'unless-stopped') expect(service.healthcheck, name).toBeDefined();
    }
  });

  it('opens ports on loopback only', () => {
    for (const port of services.flatMap(([, { ports }]) => ports ?? [])) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  it('refers to nothing that is not there', () => {
    for (const [name, { depends_on = {}, volumes = [] }] of services) {
      for (const other of Object.keys(depends_on)) expect(compose.services, name).toHaveProperty(other);
      for (const [source = ''] of volumes.map((volume) => volume.split(':'))) {
        const isThere = source.startsWith('.') ? existsSync(join(cloneRoot(), source)) : source in compose.volumes;
        expect(isThere || source.startsWith('${DOCKER_SOCKET'), `${name}: ${source}`).toBe(true);
      }
    }
    for (const [, sources = ''] of read('Dockerfile').matchAll(/^COPY (?!--)(.*) \S+$/gm)) {
      for (const source of sources.split(' ')) expect(existsSync(join(cloneRoot(), source)), source).toBe(true);
    }
  });

  it('gives the server the settings that the embedded one has', () => {
    const file = parse(read('docker/dynamicconfig.yaml')) as Record<string, [{ value: unknown }]>;
    expect(Object.fromEntries(Object.entries(file).map(([key, [{ value }]]) => [key, value]))).toEqual(serverSettings);
  });
});
