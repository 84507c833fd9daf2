import { describe, expect, it } from 'vitest';
import { UsageError } from '../usage-error.ts';
import { parseNamed, parseOne, parseTargets } from './targets.ts';

describe('parseTargets', () => {
  it.each([
    { words: ['widgets'], wanted: [{ kind: 'widgets' }] },
    { words: ['widgets,db'], wanted: [{ kind: 'widgets' }, { kind: 'db' }] },
    {
      words: ['widget', 'a', 'b'],
      wanted: [
        { kind: 'widget', name: 'a' },
        { kind: 'widget', name: 'b' },
      ],
    },
    {
      words: ['widget,db', 'a'],
      wanted: [
        { kind: 'widget', name: 'a' },
        { kind: 'db', name: 'a' },
      ],
    },
    {
      words: ['widget/a', 'db/b'],
      wanted: [
        { kind: 'widget', name: 'a' },
        { kind: 'db', name: 'b' },
      ],
    },
    { words: ['widgets.example.com/a'], wanted: [{ kind: 'widgets.example.com', name: 'a' }] },
  ])('$words', ({ words, wanted }) => expect(parseTargets(words)).toEqual(wanted));

  it.each([[[]], [['']], [[',']], [['widget/']], [['/a']], [['widget/a', 'b']], [['widget/a/b']]])('refuses %j', (words) => {
    expect(() => parseTargets(words)).toThrow(UsageError);
  });
});

describe('parseNamed and parseOne', () => {
  it('want names', () => expect(() => parseNamed(['widgets'])).toThrow(UsageError));
  it('want one name', () => expect(() => parseOne(['widget', 'a', 'b'])).toThrow(UsageError));
  it('take KIND NAME too', () => expect(parseOne(['widget', 'a'])).toEqual({ kind: 'widget', name: 'a' }));
});
