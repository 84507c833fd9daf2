import { describe, expect, it } from 'vitest';
import { definedKind } from './definitions.ts';
import { matches, nearMisses } from './match-name.ts';
import { ambiguousWord, unknownApi, unknownWord } from './unknown-kind.ts';

const kindOf = (kind: string, group: string, version = 'v1') =>
  definedKind({
    group,
    version,
    names: {
      kind,
      listKind: `${kind}List`,
      singular: kind.toLowerCase(),
      plural: `${kind.toLowerCase()}s`,
      shortNames: [kind.slice(0, 2).toLowerCase()],
    },
    scope: 'Namespaced',
    handler: null,
    columns: [],
  });
const kinds = [kindOf('Widget', 'example.com'), kindOf('Application', 'a.com'), kindOf('Application', 'b.com', 'v1beta1')];
const groups = (word: string): string[] => matches(kinds, word).map(({ kind }) => kind.group);

describe('matches', () => {
  it.each([
    'Widget',
    'widget',
    'widgets',
    'WIDGETS',
    'wi',
    'widgets.example.com',
    'Widget.example.com',
    'widgets.v1.example.com',
    ' widgets ',
  ])('finds the kind by %j', (word) => expect(groups(word)).toEqual(['example.com']));

  it.each(['widge', 'widgets.example', 'widgets.v2.example.com', '', '.'])('finds nothing by %j', (word) =>
    expect(groups(word)).toEqual([]),
  );

  it('finds all kinds that share a name, and one by its group', () => {
    expect(groups('applications')).toEqual(['a.com', 'b.com']);
    expect(groups('applications.b.com')).toEqual(['b.com']);
  });
});

describe('an unknown kind', () => {
  it('is told what it may have meant', () => {
    expect(nearMisses(kinds, 'widgetz').map(({ names }) => names.kind)).toEqual(['Widget']);
    expect(unknownWord('widgetz', kinds).hint).toBe('Did you mean widgets?');
    expect(unknownWord('zebra', kinds).known).toHaveLength(3);
  });

  it('is told names that can be typed: with the group where kinds share one', () => {
    expect(unknownWord('zebra', kinds).hint).toBe('Known kinds: widgets, applications.a.com, applications.b.com.');
    expect(unknownWord('applicationz', kinds).hint).toBe('Did you mean applications.a.com or applications.b.com?');
  });

  it('is told the versions there are, or the groups', () => {
    expect(unknownApi('b.com/v1', 'Application', kinds).message).toBe('Application of b.com has no version v1; known: v1beta1');
    expect(unknownApi('c.com/v1', 'Widget', kinds).known).toEqual(['example.com/v1 Widget']);
    expect(unknownApi('nonsense', 'Widget', kinds).known).toEqual(['example.com/v1 Widget']);
  });

  it('is asked for its group when several are meant', () => {
    expect(ambiguousWord('app', matches(kinds, 'Application')).hint).toBe('Say which: applications.a.com, applications.b.com.');
  });
});
