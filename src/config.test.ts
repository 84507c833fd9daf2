import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError, cloneRoot, readConfig } from './config.ts';

describe('readConfig', () => {
  it('has a default for everything but the address', () => {
    const config = readConfig({});
    expect(config.address).toBeUndefined();
    expect(config).toMatchObject({ temporalNamespace: 'default', scheduleToStartMs: 30_000, rolloverEvents: 2_000, logLevel: 'info' });
  });

  it.each([
    ['TEMPORAL_ADDRESS', 'nowhere'],
    ['TEMPORAL_ADDRESS', 'http://localhost:7233'],
    ['TEMPORAL_NAMESPACE', 'a b'],
    ['COLONY_LOG_LEVEL', 'loud'],
    ['COLONY_NODE', 'Node_1'],
    ['COLONY_MAX_CACHED_WORKFLOWS', 'many'],
    ['COLONY_SCHEDULE_TO_START_MS', '1.5'],
    ['COLONY_ROLLOVER_EVENTS', '-3'],
    ['COLONY_UI_PORT', '70000'],
  ])('refuses %s=%s and names the variable and the value', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(ConfigError);
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} is "${value}"; it must be `));
  });

  it('takes an empty variable as not set', () => {
    expect(readConfig({ TEMPORAL_ADDRESS: '', COLONY_ROLLOVER_EVENTS: ' ' })).toMatchObject({ address: undefined, rolloverEvents: 2_000 });
  });

  it('finds its home in the working folder before the clone', () => {
    const cwd = mkdtempSync(join(tmpdir(), 'colony-config-'));
    onTestFinished(() => rmSync(cwd, { recursive: true }));
    expect(readConfig({}, cwd).home).toBe(join(cloneRoot(), '.colony'));
    mkdirSync(join(cwd, '.colony'));
    expect(readConfig({}, cwd).home).toBe(join(cwd, '.colony'));
    expect(readConfig({ COLONY_HOME: 'elsewhere' }, cwd).home).toBe(join(cwd, 'elsewhere'));
  });

  it.each(['api.example.com', '*.example.com', '10.0.0.7:8080', '[::1]:9000', 'localhost'])('takes %s for a host of HTTP steps', (host) => {
    expect(readConfig({ COLONY_HTTP_HOSTS: `a.example, ${host}` }).httpHosts).toEqual(['a.example', host]);
  });

  it.each(['http://x', 'a b', '*', '*.', 'a/b', 'a:b'])('refuses %s for a host of HTTP steps', (host) => {
    expect(() => readConfig({ COLONY_HTTP_HOSTS: host })).toThrow(/^COLONY_HTTP_HOSTS holds /);
  });

  it('keeps secrets in its home unless told', () => {
    expect(readConfig({ COLONY_HOME: '/h' }).secretsDir).toBe('/h/secrets');
    expect(readConfig({ COLONY_HOME: '/h', COLONY_SECRETS_DIR: '/s' }).secretsDir).toBe('/s');
  });

  it('keeps its cache outside the clone', () => {
    expect(readConfig({ XDG_CACHE_HOME: '/x' }).cache).toBe('/x/colony');
    expect(readConfig({ COLONY_CACHE: '/y', XDG_CACHE_HOME: '/x' }).cache).toBe('/y');
  });
});
