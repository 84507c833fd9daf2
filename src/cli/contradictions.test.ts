import { describe, expect, it } from 'vitest';
import { FakeColony } from './test-double/colony.ts';
import { colonyCli } from './test-double/run.ts';

const manifest = 'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w1}\nspec: {}\n';

const widgets = (): FakeColony =>
  new FakeColony()
    .define('Widget', 'example.com')
    .put({ kind: 'Widget', name: 'w1', labels: { app: 'shop' } })
    .put({ kind: 'Widget', name: 'w2' });

describe('words that contradict each other are refused, both named, and nothing is done', () => {
  it.each<{ line: string; both: readonly [string, string] }>([
    { line: 'delete -f - --all', both: ['-f', '--all'] },
    { line: 'delete -f - -l app=shop', both: ['-f', '-l'] },
    { line: 'delete -f - -A', both: ['-f', '-A'] },
    { line: 'delete widget/w1 -f -', both: ['names', '-f'] },
    { line: 'delete widgets --all -l app=shop', both: ['--all', '-l'] },
    { line: 'delete widgets --all -A -n dev', both: ['-A', '-n'] },
    { line: 'delete widget/w1 --all', both: ['names', '--all'] },
    { line: 'delete widget/w1 -l app=shop', both: ['names', '-l'] },
    { line: 'delete widget/w1 -A', both: ['names', '-A'] },
    { line: 'delete widget/w1 --wait --no-wait', both: ['--wait', '--no-wait'] },
    { line: 'delete widget/w1 --no-wait --wait', both: ['--wait', '--no-wait'] },
    { line: 'get widgets -A -n dev', both: ['-A', '-n'] },
    { line: 'get -n dev widgets --all-namespaces', both: ['-A', '-n'] },
    { line: 'get widget/w1 -A', both: ['names', '-A'] },
    { line: 'get widget/w1 -l app=shop', both: ['names', '-l'] },
    { line: 'describe widgets -A -n dev', both: ['-A', '-n'] },
    { line: 'describe widget/w1 -A', both: ['names', '-A'] },
    { line: 'watch widgets -A -n dev', both: ['-A', '-n'] },
    { line: 'watch widget/w1 -A', both: ['names', '-A'] },
    { line: 'watch widget/w1 -l app=shop', both: ['names', '-l'] },
    { line: 'resource list -A -n dev', both: ['-A', '-n'] },
    { line: 'wait widgets --for=delete --all -l app=shop', both: ['--all', '-l'] },
    { line: 'history widget/w1 --revision 1 --limit 2', both: ['--revision', '--limit'] },
    { line: 'logs widget/w1 -f --previous', both: ['--follow', '--previous'] },
  ])(
    '$line',
    async ({ line, both: [one, other] }) => {
      const colony = widgets();
      const { code, out, err } = await colonyCli(colony, line.split(' '), { input: manifest });
      expect([code, out, err.split('\n')[0]]).toEqual([2, '', `error: give ${one} or ${other}, not both`]);
      expect([colony.stored.size, colony.calls]).toEqual([2, []]);
    },
    5_000,
  );

  it('the environment contradicts nobody', async () => {
    const { code, out } = await colonyCli(widgets(), ['get', 'widgets', '-A', '-o', 'name'], { env: { COLONY_NAMESPACE: 'dev' } });
    expect([code, out]).toEqual([0, 'widget.example.com/w1\nwidget.example.com/w2\n']);
  });
});
