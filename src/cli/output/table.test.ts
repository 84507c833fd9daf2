import { describe, expect, it } from 'vitest';
import { renderTable, Table } from './table.ts';

const wordsOf = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');
const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));

const TITLES = ['TYPE', 'STATUS', 'MESSAGE'];
const LONG = Array.from({ length: 30 }, (_, i) => `word${i}`).join(' ');

describe('a table that is as wide as it may be', () => {
  it('is left alone when it fits, and when nobody says how wide it may be', () => {
    const rows = [['Ready', 'True', 'all is well']];
    expect(renderTable(TITLES, rows, { width: 80 })).toBe('TYPE    STATUS   MESSAGE\nReady   True     all is well\n');
    expect(renderTable(TITLES, [['Ready', 'True', LONG]]).split('\n')).toHaveLength(3);
  });

  it('stands closer together where that is enough', () => {
    const text = renderTable(['A', 'B', 'C'], [['x'.repeat(10), 'y'.repeat(10), 'z'.repeat(10)]], { width: 34 });
    expect(text).toBe(`A           B           C\n${'x'.repeat(10)}  ${'y'.repeat(10)}  ${'z'.repeat(10)}\n`);
  });

  it('breaks what is said last between words, under its title', () => {
    expect(renderTable(TITLES, [['Ready', 'True', 'this is one sentence of eight words']], { width: 42, indent: '  ' })).toBe(
      ['  TYPE   STATUS  MESSAGE', '  Ready  True    this is one sentence of', '                 eight words', ''].join('\n'),
    );
  });

  it('puts it below where it would be too narrow', () => {
    const rows = [
      ['ExecutorUnavailable', 'Unknown', 'nobody serves the queue'],
      ['Ready', 'True', ''],
    ];
    expect(renderTable(TITLES, rows, { width: 45, indent: '  ' })).toBe(
      [
        '  TYPE                 STATUS',
        '      MESSAGE',
        '  ExecutorUnavailable  Unknown',
        '      nobody serves the queue',
        '  Ready                True',
        '',
      ].join('\n'),
    );
  });

  it('goes on below with columns that do not fit, each under its title', () => {
    const rows = [
      ['executordeployments', 'compute.colonies.io/v1', 'true', 'ExecutorDeployment'],
      ['widgets', 'example.com/v1', 'false', 'Widget'],
    ];
    expect(renderTable(['NAME', 'APIVERSION', 'NAMESPACED', 'KIND'], rows, { width: 50 })).toBe(
      [
        'NAME                 APIVERSION',
        '    NAMESPACED  KIND',
        'executordeployments  compute.colonies.io/v1',
        '    true        ExecutorDeployment',
        'widgets              example.com/v1',
        '    false       Widget',
        '',
      ].join('\n'),
    );
  });

  it.each([40, 60, 80, 100])('is never wider than %i, keeps every word whole and loses none', (width) => {
    const cells = ['executordeployment.compute/x', '0/1', 'Pending', 'MinimumReplicasUnavailable', LONG, 'end'];
    for (let count = 1; count <= cells.length; count++) {
      const titles = cells.slice(0, count).map((_, i) => `T${i}`);
      const shown = cells.slice(0, count).map((cell, i) => (cell === LONG && i < count - 1 ? 'short' : cell));
      const text = renderTable(titles, [shown], { width, indent: '  ' });
      expect(widest(text)).toBeLessThanOrEqual(width);
      expect([...wordsOf(text)].sort()).toEqual([...titles, ...shown.flatMap(wordsOf)].sort());
    }
  });

  it('leaves a word that is longer than a line whole', () => {
    expect(renderTable(['A', 'B'], [['a', 'x'.repeat(90)]], { width: 80 })).toContain('x'.repeat(90));
  });

  it('paints a cell also where it is broken', () => {
    const table = new Table([{ title: 'A' }, { title: 'B', paint: (cell) => cell.replaceAll('word', 'WORD') }], { width: 40 });
    expect(table.render([['a', LONG]])).toContain('WORD29');
  });
});
