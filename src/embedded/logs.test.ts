import { appendFileSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Logs } from './logs.ts';

it('cuts a long log, keeps what was in it, and loses nothing of a writer that appends', () => {
  const folder = mkdtempSync(join(tmpdir(), 'colony-logs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const logs = new Logs(folder, 10);
  const path = logs.path('worker');
  const writer = openSync(path, 'a');
  writeSync(writer, 'a long first part\n');
  logs.path('worker');
  expect(readFileSync(path, 'utf8')).toBe('');
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('a long first part\n');
  writeSync(writer, 'second\n');
  appendFileSync(path, '3\n');
  logs.path('worker');
  expect(readFileSync(path, 'utf8')).toBe('second\n3\n');
  logs.close();
});
