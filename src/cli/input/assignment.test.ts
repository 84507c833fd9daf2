import { describe, expect, it } from 'vitest';
import { UsageError } from '../usage-error.ts';
import { parseAssignment } from './assignment.ts';

describe('parseAssignment', () => {
  it.each([
    { word: 'spec.size=3', path: 'spec.size', value: 3 },
    { word: 'spec.on=true', path: 'spec.on', value: true },
    { word: 'spec.note=hello world', path: 'spec.note', value: 'hello world' },
    { word: 'spec.note="3"', path: 'spec.note', value: '3' },
    { word: 'spec.note=', path: 'spec.note', value: '' },
    { word: 'spec.query=a=b', path: 'spec.query', value: 'a=b' },
    { word: 'spec.tags=["a"]', path: 'spec.tags', value: ['a'] },
    { word: 'spec.nothing=null', path: 'spec.nothing', value: null },
    { word: 'metadata.labels["a=b"]=c', path: 'metadata.labels["a=b"]', value: 'c' },
    { word: 'spec.note-', path: 'spec.note', value: undefined },
    { word: 'spec.minus=-', path: 'spec.minus', value: '-' },
  ])('$word', ({ word, path, value }) => expect(parseAssignment(word)).toEqual({ path, value }));

  it.each(['spec.size', '=3', '-', ''])('refuses %j', (word) => expect(() => parseAssignment(word)).toThrow(UsageError));
});
