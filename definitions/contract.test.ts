import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import type { ChildRef, ChildWish } from './core/family.ts';
import type { InstanceWish, Sighting } from './core/instance.ts';
import { checkWith } from './core/json-schema/index.ts';
import { apiVersionOf, type Kind } from './core/kind.ts';
import { checkManifest } from './core/manifest.ts';
import type { Plan, View } from './core/plan.ts';
import type { JsonObject, Manifest } from './core/resource.ts';
import type { Observation } from './core/step.ts';
import { builtInKinds, findBuiltIn } from './kinds.ts';

/** Folders that are no kinds: the vocabulary, and planners that kinds share. */
const SHARED = ['core', 'flows', 'handled', 'replicas'];

/** What an activity brings back when all went well, for those whose answer is looked into; any other answers `{}`. */
const ANSWERS: Readonly<Record<string, (input: JsonObject) => unknown>> = {
  applyChildren: ({ wishes, inventory }) => ({
    children: [...(inventory as ChildRef[]), ...(wishes as ChildWish[]).map(childOf)],
  }),
  refreshInstances: () => ({ instances: 2, notFitting: [] }),
  resolveImage: ({ image }) => ({ image, pin: { ref: `${image}@sha256:1` } }),
  syncInstances: (input) => sighting(input as unknown as InstanceWish),
};

/** A child that is made at once. */
const childOf = ({ key, digest, manifest }: ChildWish): ChildRef => {
  const { apiVersion = 'example.com/v1', kind, metadata } = manifest as unknown as Manifest;
  return {
    key,
    digest,
    apiVersion,
    kind,
    name: metadata.name,
    uid: `uid-${key}`,
    id: `children.example.com/default/${key}`,
    generation: 1,
  };
};

/** A node that does what is wished at once. */
const sighting = ({ revisions }: InstanceWish): Sighting => ({
  asOf: { boot: 'b', seq: 1 },
  instances: revisions.flatMap(({ slots, digest, generation }) =>
    slots.map((slot) => ({ id: `${digest}-${slot}`, name: `i-${slot}`, slot, digest, generation, state: 'running' as const, ready: true })),
  ),
});

const MAX_PASSES = 20;

const here = (path: string) => new URL(path, import.meta.url);
const folders = readdirSync(here('./'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !SHARED.includes(entry.name))
  .map(({ name }) => name);

/** RequestState lives in request-state, MLModel in ml-model; of two kinds of one name, one has a word before it: elide-application. */
const folderNameOf = ({ names }: Kind) => names.kind.replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3-$2$4').toLowerCase();

/** A folder belongs to the kind that its example is of. */
const kindIn = (folder: string): Kind => {
  const { apiVersion, kind } = exampleOf(folder);
  const found = findBuiltIn(apiVersion, kind);
  if (!found)
    throw new Error(`definitions/${folder} has an example of ${apiVersion} ${kind}, which definitions/kinds.ts does not register`);
  return found;
};

function exampleOf(folder: string): Manifest {
  const checked = checkManifest(parse(readFileSync(here(`./${folder}/example.yaml`), 'utf8')));
  if ('issues' in checked) throw new Error(JSON.stringify(checked.issues));
  return checked.manifest;
}

function specOf(folder: string): JsonObject {
  const checked = checkWith(kindIn(folder).spec, exampleOf(folder).spec, 'spec');
  if ('issues' in checked) throw new Error(JSON.stringify(checked.issues));
  return checked.value;
}

function viewOf(folder: string, more: Partial<View> = {}): View {
  const { metadata, apiVersion, kind } = exampleOf(folder);
  const stored = {
    uid: 'uid-1',
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '2025-10-20T10:00:00Z',
    labels: { a: 'x', b: 'y' },
    annotations: {},
    ownerReferences: [],
    finalizers: [],
  };
  return {
    now: Date.UTC(2025, 9, 20),
    apiVersion,
    kind,
    metadata: { ...stored, ...metadata, resourceVersion: '1', uid: 'uid-1' },
    spec: specOf(folder),
    deleting: false,
    observed: remembered(folder),
    failing: {},
    nudge: 0,
    status: undefined,
    tuning: { scheduleToStartMs: 30_000, firstRetryMs: 1_000 },
    ...more,
  };
}

/** What the kind's own admission remembers of a first apply. */
function remembered(folder: string): Record<string, Observation> {
  const { metadata } = exampleOf(folder);
  const effect = kindIn(folder).admit?.(specOf(folder), undefined, { actor: 'test', now: 0, name: metadata.name });
  return Object.fromEntries(
    Object.entries(effect?.remember ?? {}).map(([about, value]) => [about, { key: 'apply', generation: 1, at: 0, value }]),
  );
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const field of Object.values(Object.freeze(value))) frozen(field);
  return value;
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, field]) => [key, reversed(field)]),
  );
}

/** Carries out what the plan wants, with activities that always succeed, until it wants nothing more. */
function settle(folder: string, more: Partial<View>): Plan {
  let view = viewOf(folder, more);
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const plan = kindIn(folder).plan(view);
    if (plan.steps.length === 0) return plan;
    const landed = plan.steps.map(
      ({ key, about, activity, input }) => [about, { key, generation: 1, at: view.now, value: ANSWERS[activity]?.(input) ?? {} }] as const,
    );
    view = { ...view, now: view.now + 1_000, status: plan.status, observed: { ...view.observed, ...Object.fromEntries(landed) } };
  }
  throw new Error(`does not settle within ${MAX_PASSES} passes`);
}

afterEach(() => vi.restoreAllMocks());

describe.each(folders)('definitions/%s keeps the contract of a kind', (folder) => {
  it('is registered, and named like its kind', () => {
    const kind = kindIn(folder);
    expect(`-${folder}`.endsWith(`-${folderNameOf(kind)}`)).toBe(true);
    expect(kind.description).toBeTruthy();
  });

  it('has an example that is accepted, and unchanged when it is applied again', () => {
    expect(existsSync(here(`./${folder}/example.yaml`))).toBe(true);
    const { apiVersion, kind, metadata } = exampleOf(folder);
    expect([apiVersion, kind]).toEqual([apiVersionOf(kindIn(folder)), kindIn(folder).names.kind]);
    expect(metadata.namespace === undefined).toBe(kindIn(folder).scope === 'Cluster');
    expect(checkWith(kindIn(folder).spec, specOf(folder), 'spec')).toEqual({ value: specOf(folder) });
    expect(kindIn(folder).admit?.(specOf(folder), undefined, { actor: 'test', now: 0, name: metadata.name }).issues ?? []).toEqual([]);
  });

  it('refuses an unknown field and says which are known', () => {
    const checked = checkWith(kindIn(folder).spec, { ...specOf(folder), nobodyKnowsThis: 1 }, 'spec');
    expect('issues' in checked && checked.issues.map(({ path }) => path)).toContain('spec.nobodyKnowsThis');
  });

  it.each([{ deleting: false }, { deleting: true }])(
    'plans without side effects, clock or chance (deleting: $deleting)',
    ({ deleting }) => {
      const forbidden = () => {
        throw new Error('a plan has no clock and no dice');
      };
      const view = frozen(viewOf(folder, { deleting }));
      vi.spyOn(Date, 'now').mockImplementation(forbidden);
      vi.spyOn(Math, 'random').mockImplementation(forbidden);
      const plan = kindIn(folder).plan(view);
      expect(kindIn(folder).plan(view)).toEqual(plan);
      expect(kindIn(folder).plan(reversed(view) as View)).toEqual(plan);
      expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
    },
  );

  it.each([{ deleting: false }, { deleting: true }])(
    'settles: after its own steps nothing is left to do (deleting: $deleting)',
    ({ deleting }) => {
      expect(settle(folder, { deleting }).steps).toEqual([]);
    },
  );

  it('names one lane once in a plan, and every step differently', () => {
    const { steps } = kindIn(folder).plan(viewOf(folder));
    expect(new Set(steps.map(({ about }) => about)).size).toBe(steps.length);
    expect(new Set(steps.map(({ key }) => key)).size).toBe(steps.length);
  });
});

describe('the built-in kinds together', () => {
  it('live in a folder each', () => {
    expect(new Set(folders.map(kindIn))).toEqual(new Set(builtInKinds));
    expect(folders).toHaveLength(builtInKinds.length);
  });

  it('are told apart by group and plural, and by group, version and kind', () => {
    for (const nameOf of [
      (kind: Kind) => `${kind.names.plural}.${kind.group}`,
      (kind: Kind) => `${apiVersionOf(kind)} ${kind.names.kind}`,
    ]) {
      expect(new Set(builtInKinds.map(nameOf)).size).toBe(builtInKinds.length);
    }
  });
});

describe('definitions/', () => {
  const files = readdirSync(here('./'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  );

  it.each(files)('%s is pure: no clock, no chance, no machine', (file) => {
    const source = readFileSync(here(`./${file}`), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    expect(source).not.toMatch(/Date\.now|new Date\(\)|Math\.random|['"]node:|@temporalio|process\.|setTimeout/);
  });
});
