import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { locateTemporal, readRun, writeRun } from './run-file.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'colony-run-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const run = { address: '127.0.0.1:7300', namespace: 'default', pids: { up: { pid: 1, started: 'x' } } };

describe('run file', () => {
  it('is read back as it was written, and leaves no draft', () => {
    writeRun(home, run);
    expect(readRun(home)).toEqual(run);
    expect(readdirSync(home)).toEqual(['run.json']);
  });

  it.each(['', '{', 'null', '{"address": 3}', '{"address":"a:1"}'])('is taken as absent when it holds %j', (text) => {
    writeFileSync(join(home, 'run.json'), text);
    expect(readRun(home)).toBeUndefined();
  });
});

describe('locateTemporal', () => {
  it('prefers the environment, then the last run, then the usual port', () => {
    expect(locateTemporal(readConfig({ COLONY_HOME: home }))).toEqual({ address: 'localhost:7233', from: 'default' });
    writeRun(home, run);
    expect(locateTemporal(readConfig({ COLONY_HOME: home }))).toEqual({ address: '127.0.0.1:7300', from: 'run.json' });
    const env = { COLONY_HOME: home, TEMPORAL_ADDRESS: 'temporal:7233' };
    expect(locateTemporal(readConfig(env))).toEqual({ address: 'temporal:7233', from: 'TEMPORAL_ADDRESS' });
  });
});
