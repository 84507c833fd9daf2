import { appendFileSync, mkdtempSync, openSync, readFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Logs } from './logs.ts';

it('cuts a long log, keeps what was in it, and loses nothing of a writer that appends', () => {
  const logs = new Logs(mkdtempSync(join(tmpdir(), 'colony-logs-')), 10);
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
