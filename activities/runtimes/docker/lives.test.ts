import { describe, expect, it } from 'vitest';
import { type Life, Lives } from './lives.ts';

const NEVER = '0001-01-01T00:00:00Z';
const at = (seconds: number): string => new Date(seconds * 1000).toISOString();
const running = (started: number, finished?: number): Life => ({
  Status: 'running',
  StartedAt: at(started),
  FinishedAt: finished === undefined ? NEVER : at(finished),
});
const ended = (started: number, finished: number): Life => ({ ...running(started, finished), Status: 'exited' });

describe('a life', () => {
  it.each([
    { name: 'that never began', life: { Status: 'created', StartedAt: NEVER, FinishedAt: NEVER }, since: undefined },
    { name: 'that is the first', life: running(100), since: undefined },
    { name: 'after another: from just after the end before', life: running(200, 100), since: '100.100' },
    { name: 'right after another: from half way', life: running(100.1, 100), since: '100.050' },
    { name: 'that is over: from just before its start', life: ended(100, 200), since: '99.900' },
    { name: 'that is over, of which the end before is known', life: ended(100.1, 200), endedAt: at(100), since: '100.050' },
    { name: 'that is over, of which only its own end is known', life: ended(100, 200), endedAt: at(200), since: '99.900' },
  ])('$name', ({ life, endedAt, since }) => {
    const lives = new Lives();
    lives.see('a', life, endedAt);
    expect(lives.last('a')?.since).toBe(since);
  });

  it('begins where it began when it was first seen, also when it is over', () => {
    const lives = new Lives();
    for (const life of [running(100.1, 100), ended(100.1, 200)]) lives.see('a', life);
    expect(lives.last('a')?.since).toBe('100.050');
  });
});

describe('the life before', () => {
  it('is that one alone, however many there were', () => {
    const lives = new Lives();
    lives.see('a', running(100));
    expect(lives.before('a')).toBeUndefined();
    lives.see('a', ended(100, 110));
    lives.see('a', running(120, 110));
    expect(lives.before('a')).toEqual({ since: undefined, until: '110.100' });
    lives.see('a', running(130, 125));
    lives.see('a', ended(130, 135));
    expect(lives.before('a')).toEqual({ since: '110.100', until: '125.100' });
    lives.see('a', running(140, 135));
    expect(lives.before('a')).toEqual({ since: '125.100', until: '135.100' });
  });

  it('stays when an older look comes later', () => {
    const lives = new Lives();
    for (const life of [running(100, 90), running(120, 110), ended(100, 110)]) lives.see('a', life);
    expect(lives.before('a')).toEqual({ since: '90.100', until: '110.100' });
  });

  it('has all before it when nobody saw it begin', () => {
    const lives = new Lives();
    lives.see('a', running(140, 135));
    expect(lives.before('a')).toEqual({ since: undefined, until: '135.100' });
  });

  it('is that of the same container', () => {
    const lives = new Lives();
    lives.see('a', running(100, 90));
    expect(lives.before('b')).toBeUndefined();
    lives.forget('a');
    expect(lives.before('a')).toBeUndefined();
  });
});
