import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Condition } from '../../definitions/core/resource.ts';
import type { WatchEvent } from '../client/api.ts';
import { run } from './run.ts';
import { FakeColony } from './test-double/colony.ts';
import { fakeIo } from './test-double/io.ts';
import { colonyCli } from './test-double/run.ts';

const OURS = 'app.colonies.io/v1';
const ELIDE = 'cloudnative.elide.dev/v1';

const ready = (status: Condition['status'], reason = 'Settled'): readonly Condition[] => [
  { type: 'Ready', status, reason, message: `${reason}.`, lastTransitionTime: '2026-03-01T11:59:00Z', observedGeneration: 1 },
];

/** Two kinds are called Application; both have a `both`, each has one of its own. */
let colony: FakeColony;
beforeEach(() => {
  colony = new FakeColony()
    .define('Application', 'app.colonies.io', { shortNames: ['capp'], builtIn: true, spec: z.object({ components: z.array(z.string()) }) })
    .define('Application', 'cloudnative.elide.dev', {
      columns: [{ name: 'Image', jsonPath: '.spec.image', type: 'string' }],
      spec: z.object({ image: z.string() }),
      builtIn: true,
    });
  for (const name of ['shop', 'both'])
    colony.put({
      apiVersion: OURS,
      kind: 'Application',
      name,
      status: { phase: 'Ready', observedGeneration: 1, conditions: ready('True') },
    });
  for (const name of ['blog', 'both'])
    colony.put({
      apiVersion: ELIDE,
      kind: 'Application',
      name,
      spec: { image: `${name}:1` },
      status: { observedGeneration: 1, conditions: ready('True') },
    });
});

const cli = (...argv: string[]) => colonyCli(colony, argv);
const left = () => [...colony.stored.values()].map(({ apiVersion, metadata }) => `${apiVersion.split('.')[0]}/${metadata.name}`);

describe('a name that two kinds share', () => {
  /** What a watch prints until somebody ends it; `later` comes when all that was there is printed. */
  const watch = async (argv: readonly string[], later: readonly WatchEvent[] = []) => {
    const io = fakeIo();
    let isShown = (): void => {};
    const shown = new Promise<void>((resolve) => {
      isShown = resolve;
    });
    const ended = new Promise<void>((resolve) => io.interrupted().addEventListener('abort', () => resolve()));
    let open = 0;
    const { resources } = colony;
    colony.resources = (apiVersion, kind) => ({
      ...resources.call(colony, apiVersion, kind),
      watch: async function* ({ name } = {}) {
        open += 1;
        const picks = ({ resource: { metadata, ...resource } }: WatchEvent) =>
          resource.apiVersion === apiVersion && metadata.name === (name ?? metadata.name);
        yield* [...colony.stored.values()].map((resource): WatchEvent => ({ type: 'ADDED', resource })).filter(picks);
        await shown;
        yield* later.filter(picks);
        open -= 1;
        if (open === 0) io.interrupt();
        await ended;
      },
    });
    const running = run(argv, { ...io, out: (text) => [io.out(text), isShown()].at(-1) as undefined }, async () => colony);
    const code = await running;
    colony.resources = resources;
    return { code, out: io.stdout(), err: io.stderr() };
  };

  it('is watched of both, each under its own titles and with its group', async () => {
    const rows = [
      'NAME                               READY   STATUS   GEN   AGE',
      'application.app.colonies.io/shop   True    Ready    1     5m',
      'application.app.colonies.io/both   True    Ready    1     5m',
      '',
      'NAME                                     IMAGE    AGE',
      'application.cloudnative.elide.dev/blog   blog:1   5m',
      'application.cloudnative.elide.dev/both   both:1   5m',
      '',
    ];
    expect(await watch(['get', 'applications', '-w'])).toEqual({ code: 0, out: rows.join('\n'), err: '' });
    const names = (await watch(['get', 'applications', '-w', '-o', 'name'])).out.split('\n');
    expect(names.sort()).toEqual(['', ...rows.filter((row) => row.startsWith('app')).map((row) => row.split(' ')[0])].sort());
  });

  it('is watched on with the titles said again whenever the other kind speaks', async () => {
    const [shop, , blog] = [...colony.stored.values()];
    const { out } = await watch(
      ['watch', 'applications'],
      [
        { type: 'DELETED', resource: shop! },
        { type: 'MODIFIED', resource: blog! },
      ],
    );
    expect(out.split('\n').map((row) => row.split(/ {2,}/).slice(0, 2).join(' '))).toEqual([
      'EVENT NAME',
      'ADDED application.app.colonies.io/shop',
      'ADDED application.app.colonies.io/both',
      '',
      'EVENT NAME',
      'ADDED application.cloudnative.elide.dev/blog',
      'ADDED application.cloudnative.elide.dev/both',
      '',
      'EVENT NAME',
      'DELETED application.app.colonies.io/shop',
      '',
      'EVENT NAME',
      'MODIFIED application.cloudnative.elide.dev/blog',
      '',
    ]);
    expect((await watch(['watch', 'applications', '--no-headers'])).out).not.toMatch(/NAME|\n\n/);
  });

  it('is watched of the one kind that has the resource that is named, or of all that do', async () => {
    expect((await watch(['get', 'application/blog', '-w'])).out).toBe('NAME   IMAGE    AGE\nblog   blog:1   5m\n');
    expect((await watch(['get', 'application', 'both', '-w', '-o', 'name'])).out).toBe(
      'application.app.colonies.io/both\napplication.cloudnative.elide.dev/both\n',
    );
    expect(await watch(['get', 'application/nobody', '-w'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('no Application is called nobody'),
    });
    expect((await watch(['watch', 'application/both', '-o', 'name'])).out).toContain('cloudnative.elide.dev/both\n');
  });

  it('ends a watch of both when one of them fails', async () => {
    const { resources } = colony;
    colony.resources = (apiVersion, kind) => ({
      ...resources.call(colony, apiVersion, kind),
      watch: async function* ({ signal } = {}) {
        if (apiVersion === ELIDE) throw new Error('the index is gone');
        await new Promise((resolve) => signal?.addEventListener('abort', resolve));
      },
    });
    expect(await cli('watch', 'applications')).toMatchObject({ code: 1, err: 'error: the index is gone\n' });
  });

  it('is deleted of both, and each deletion says of which kind', async () => {
    expect(await cli('delete', 'applications', '--all')).toEqual({
      code: 0,
      err: '',
      out: [
        'application.app.colonies.io "shop" deleted',
        'application.app.colonies.io "both" deleted',
        'application.cloudnative.elide.dev "blog" deleted',
        'application.cloudnative.elide.dev "both" deleted',
        '',
      ].join('\n'),
    });
    expect(left()).toEqual([]);
  });

  it('is deleted by name of the kind that has it; where both have, it is asked which, and nothing is deleted', async () => {
    expect((await cli('delete', 'application/blog')).out).toBe('application.cloudnative.elide.dev "blog" deleted\n');
    const asked = await cli('delete', 'application', 'shop', 'both');
    expect(asked).toMatchObject({ code: 1, out: '' });
    expect(asked.err).toContain('Say which: applications.app.colonies.io, applications.cloudnative.elide.dev.');
    expect(left()).toEqual(['app/shop', 'app/both', 'cloudnative/both']);
  });

  it('does not keep the others from being deleted when nobody has one of the names', async () => {
    const { code, out, err } = await cli('delete', 'application', 'nobody', 'shop');
    expect([code, out]).toEqual([1, 'application.app.colonies.io "shop" deleted\n']);
    expect(err).toContain('no Application is called nobody in namespace default');
    expect(await cli('delete', 'application', 'nobody', '--ignore-not-found')).toEqual({ code: 0, out: '', err: '' });
  });

  it('is waited for of both', async () => {
    const met = (goal: string, ...names: string[]) => ({ code: 0, err: '', out: names.map((name) => `${name} ${goal}\n`).join('') });
    const [ours, elides] = ['application.app.colonies.io', 'application.cloudnative.elide.dev'];
    const wait = (...argv: string[]) => cli('wait', ...argv, '--for=condition=Ready');
    expect(await wait('applications', '--all')).toEqual(
      met('condition met', `${ours}/shop`, `${ours}/both`, `${elides}/blog`, `${elides}/both`),
    );
    expect(await wait('application/both')).toEqual(met('condition met', `${ours}/both`, `${elides}/both`));
    expect(await wait('application/nobody')).toMatchObject({ code: 1, err: expect.stringContaining('no Application is called nobody') });
  });

  it('is gone when neither has it', async () => {
    expect(await cli('wait', 'application/nobody', '--for=delete')).toEqual({
      code: 0,
      err: '',
      out: 'application.app.colonies.io/nobody condition met\napplication.cloudnative.elide.dev/nobody condition met\n',
    });
  });

  it('is described of both, and the advice names the one that is meant', async () => {
    const kinds = (text: string) => text.split('\n').filter((line) => line.startsWith('Kind:'));
    const [ours, elides] = [`Kind:         Application (${OURS})`, `Kind:         Application (${ELIDE})`];
    expect(kinds((await cli('describe', 'applications')).out)).toEqual([ours, ours, elides, elides]);
    for (const apiVersion of [OURS, ELIDE])
      colony.put({
        apiVersion,
        kind: 'Application',
        name: 'both',
        status: { observedGeneration: 1, conditions: ready('False', 'RolloutPaused') },
      });
    const { out } = await cli('describe', 'application/both');
    expect(kinds(out)).toEqual([ours, elides]);
    expect(out).toContain('colony rollout resume capp/both\n');
    expect(out).toContain('colony rollout resume application.cloudnative.elide.dev/both\n');
  });

  it('is named with its group in advice while nobody can say who else has it', async () => {
    const { resolveAll } = colony;
    let asked = 0;
    colony.resolveAll = async (word) => {
      asked += 1;
      if (asked > 1) throw new Error('the index is gone');
      return resolveAll.call(colony, word);
    };
    colony.put({
      apiVersion: OURS,
      kind: 'Application',
      name: 'shop',
      status: { observedGeneration: 1, conditions: ready('False', 'RolloutPaused') },
    });
    const { code, out } = await cli('describe', 'capp/shop');
    expect([code, out]).toEqual([0, expect.stringContaining('colony rollout resume application.app.colonies.io/shop\n')]);
  });

  it('is explained of both; a field, of those that have it', async () => {
    const explained = async (target: string) =>
      (await cli('explain', target)).out.split('\n').filter((line) => line.startsWith('APIVERSION'));
    expect(await explained('application')).toEqual([`APIVERSION: ${OURS}`, `APIVERSION: ${ELIDE}`]);
    expect(await explained('application.spec.image')).toEqual([`APIVERSION: ${ELIDE}`]);
    expect(await explained('application.image')).toEqual([`APIVERSION: ${ELIDE}`]);
    const { items } = JSON.parse((await cli('explain', 'application', '-o', 'json')).out);
    expect(items).toMatchObject([
      { apiVersion: OURS, schema: {} },
      { apiVersion: ELIDE, schema: {} },
    ]);
    expect(await cli('explain', 'application.spec.size')).toMatchObject({
      code: 2,
      err: expect.stringContaining('there is no field spec.size'),
    });
  });

  it('is asked about where only one can be meant', async () => {
    for (const verb of ['events', 'tree', 'history', 'top', 'logs', 'reconcile', 'pause']) {
      const { code, err } = await cli(verb, 'application/both');
      expect([verb, code, err]).toEqual([verb, 1, expect.stringContaining('Say which: applications.app.colonies.io')]);
    }
  });
});
