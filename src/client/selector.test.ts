import { describe, expect, it } from 'vitest';
import { InvalidError } from './errors.ts';
import { parseSelector } from './selector.ts';

const labels = { app: 'web', tier: 'front', 'example.com/team': 'a', cores: '8', empty: '' };

describe('parseSelector', () => {
  it.each([
    { text: undefined, picked: true },
    { text: '  ', picked: true },
    { text: 'app=web', picked: true },
    { text: 'app==web', picked: true },
    { text: 'app = web , tier = front', picked: true },
    { text: 'app=db', picked: false },
    { text: 'app!=db', picked: true },
    { text: 'app!=web', picked: false },
    { text: 'nothing!=web', picked: true },
    { text: 'app in (db, web)', picked: true },
    { text: 'app in(db,web)', picked: true },
    { text: 'app notin (db,web)', picked: false },
    { text: 'nothing notin (db,web)', picked: true },
    { text: 'nothing in (db,web)', picked: false },
    { text: 'app', picked: true },
    { text: '!app', picked: false },
    { text: '! nothing', picked: true },
    { text: 'example.com/team=a,tier', picked: true },
    { text: 'cores>4', picked: true },
    { text: 'cores<4', picked: false },
    { text: 'app>4', picked: false },
    { text: 'empty=', picked: true },
    { text: 'app in (web),tier notin (back,middle),!old', picked: true },
    { text: 'toString', picked: false },
    { text: '__proto__', picked: false, refused: true },
  ])('$text', ({ text, picked, refused }) => {
    if (refused) expect(() => parseSelector(text)).toThrow(InvalidError);
    else expect(parseSelector(text)(labels)).toBe(picked);
  });

  it.each([
    'app=',
    '=web',
    'app in (a',
    'app in a)',
    'app=a b',
    ',',
    'app=x,',
    "app='x'",
    'cores>many',
    `app=${'x'.repeat(64)}`,
    'app=(x)',
  ])('refuses %s or reads it, but never throws anything else', (text) => {
    try {
      parseSelector(text);
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidError);
    }
  });

  it('stays linear on hostile input', () => {
    const started = performance.now();
    expect(() => parseSelector(`${'a'.repeat(4_000)}!`)).toThrow(InvalidError);
    expect(() => parseSelector(`a in (${'('.repeat(2_000)}`)).toThrow(InvalidError);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
