import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { asJson } from './json.ts';
import { writePage } from './page.ts';
import { isKept, peerTimesOurs, plain, timesPeer } from './results.ts';
import { asTable } from './table.ts';

const machine = { cores: 2, cpu: 'a CPU', memoryGb: 8, system: 'Linux', node: 'v20', temporal: 'CLI 1', load: 0 };
const slow = timesPeer({ name: 'latency', ours: 40, peer: 20, of: 'ms', max: 1.5 });
const rate = peerTimesOurs({ name: 'rate', ours: [80, 10, 40], peer: [100, 10, 60], of: '1/s', max: 1 / 0.7 });
const count = plain('events', 0, 'events', { max: 0 });
const told = plain('freshness', 400, 'ms');

describe('results', () => {
  it('are smaller when they are better, also for rates', () => {
    expect(slow.value).toBe(2);
    expect(rate.value).toBe(1.25);
  });

  it('compare a round with the one beside it, so that a slow hour hits both', () => {
    expect(rate).toMatchObject({ ours: 40, peer: 60, value: 1.25 });
  });

  it('are missed only above their bound, and when they are no number', () => {
    expect([slow, rate, count, told].map(isKept)).toEqual([false, true, true, true]);
    expect(isKept(plain('nothing', Number.NaN, 'ms', { max: 1 }))).toBe(false);
  });
});

describe('asJson', () => {
  it('has exactly the agreed fields', () => {
    const { results } = JSON.parse(asJson([{ suite: 'a', results: [slow, told] }])) as { results: object[] };
    expect(results[0]).toEqual({ name: 'a: latency', value: 2, unit: 'ratio of ms', max: 1.5, ours: 40, peer: 20 });
    expect(results[1]).toEqual({ name: 'a: freshness', value: 400, unit: 'ms', max: null, ours: 400, peer: null });
  });
});

describe('asTable', () => {
  it('fits into 80 columns and judges what has a bound', () => {
    const long = plain('a name that is far too long for the column it stands in', 1, 'events', { max: 0 });
    const lines = asTable([{ suite: 'suite', results: [slow, rate, count, told, long] }]).split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(lines.filter((line) => line.endsWith('FAIL'))).toHaveLength(2);
    expect(lines.filter((line) => line.endsWith('PASS'))).toHaveLength(2);
  });
});

describe('writePage', () => {
  it('replaces the suites that ran and keeps the others', () => {
    const folder = mkdtempSync(join(tmpdir(), 'colony-page-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'performance.md');
    const section = (suite: string, date: string) => ({ suite, results: [slow], date, machine });
    writePage(file, [section('b', 'first'), section('a', 'first')]);
    writePage(file, [section('b', 'second')]);
    const text = readFileSync(file, 'utf8');
    expect(text.match(/^## .*/gm)).toEqual(['## a', '## b']);
    expect(text.match(/^(first|second)/gm)).toEqual(['first', 'second']);
    expect(text).toContain('**missed**');
  });
});
