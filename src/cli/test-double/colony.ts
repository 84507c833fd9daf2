import { z } from 'zod';
import { apiVersionOf, type Kind, type PrinterColumn } from '../../../definitions/core/kind.ts';
import { checkManifest } from '../../../definitions/core/manifest.ts';
import type { JsonObject, Manifest, Resource, ResourceEvent, Revision } from '../../../definitions/core/resource.ts';
import type {
  ApplyOptions,
  ApplyOutcome,
  Colony,
  DeleteOptions,
  Family,
  FlowSchedule,
  KnownKind,
  PendingWork,
  Ref,
  Resources,
  RunHandle,
  RunOptions,
  Triggered,
  WatchEvent,
} from '../../client/api.ts';
import { AlreadyExistsError, ConflictError, InvalidError, NotFoundError, TimeoutError, UnknownKindError } from '../../client/errors.ts';
import { matches } from '../../client/match-name.ts';
import { parseSelector } from '../../client/selector.ts';
import { ambiguousWord } from '../../client/unknown-kind.ts';

/** A colony in memory, good enough to see what commands ask for and print. The real one is tested in test/cli.test.ts. */
export class FakeColony implements Colony {
  readonly stored = new Map<string, Resource>();
  readonly known: KnownKind[] = [];
  readonly calls: { readonly verb: string; readonly args: readonly unknown[] }[] = [];
  eventsOf: readonly ResourceEvent[] = [];
  revisions: readonly Revision[] = [];
  watched: readonly WatchEvent[] = [];
  inTheAir: readonly PendingWork[] = [];
  /** Called at every look at what is in the air, with how often it was looked; for what changes meanwhile. */
  onLook: (looks: number) => void = () => {};
  #looks = 0;
  /** The times that a backfill finds. */
  scheduled: readonly string[] = [];
  triggered: Triggered = 'Started';
  leftBehind: readonly string[] | undefined;
  /** What commands answer. */
  answer: JsonObject = { ok: true };
  conflicts = 0;
  #version = 100;

  define(
    kind: string,
    group: string,
    more: {
      columns?: readonly PrinterColumn[];
      shortNames?: readonly string[];
      scope?: Kind['scope'];
      spec?: z.ZodType;
      builtIn?: boolean;
      commands?: readonly string[];
    } = {},
  ): this {
    const lower = kind.toLowerCase();
    const names = { kind, listKind: `${kind}List`, singular: lower, plural: `${lower}s`, shortNames: more.shortNames ?? [] };
    const spec = (more.spec ?? z.record(z.string(), z.unknown())) as z.ZodType<JsonObject>;
    const known: Kind = {
      group,
      version: 'v1',
      names,
      scope: more.scope ?? 'Namespaced',
      spec,
      plan: () => ({ steps: [], status: {} }),
      hasCleanUp: false,
      ...(more.commands ? { commands: Object.fromEntries(more.commands.map((name) => [name, () => ({})])) } : {}),
    };
    this.known.push({ kind: known, builtIn: more.builtIn ?? false, names, columns: more.columns ?? [] });
    return this;
  }

  put(resource: Partial<Resource> & { kind: string; name: string; namespace?: string; labels?: Record<string, string> }): this {
    const { kind, name, namespace = 'default', labels = {}, metadata, ...rest } = resource;
    const known = this.known.find(
      ({ names, kind: one }) => names.kind === kind && apiVersionOf(one) === (rest.apiVersion ?? apiVersionOf(one)),
    );
    const apiVersion = known ? apiVersionOf(known.kind) : 'unknown/v1';
    const whole: Resource = {
      apiVersion,
      kind,
      metadata: {
        name,
        ...(known?.kind.scope === 'Cluster' ? {} : { namespace }),
        uid: `uid-${name}`,
        resourceVersion: String(this.#version++),
        generation: 1,
        creationTimestamp: '2026-03-01T11:55:00Z',
        labels,
        annotations: {},
        ownerReferences: [],
        finalizers: [],
        ...metadata,
      },
      spec: {},
      ...rest,
    };
    this.stored.set(this.#keyOf(apiVersion, kind, { name, namespace }), whole);
    return this;
  }

  kind<Spec, S>(kind: Kind<Spec, S>): Resources<Spec, S> {
    return this.resources(apiVersionOf(kind), kind.names.kind) as unknown as Resources<Spec, S>;
  }

  async resolve(name: string): Promise<KnownKind> {
    const found = await this.resolveAll(name);
    if (found.length > 1) throw ambiguousWord(name, found);
    return found[0]!;
  }

  async resolveAll(name: string): Promise<readonly KnownKind[]> {
    const found = matches(this.known, name);
    if (found.length === 0)
      throw new UnknownKindError(
        `nobody knows the kind ${JSON.stringify(name)}`,
        this.known.map(({ names }) => names.plural),
      );
    return found;
  }

  async kinds(): Promise<readonly KnownKind[]> {
    return this.known;
  }

  async apply(manifest: unknown, options: ApplyOptions = {}): Promise<ApplyOutcome> {
    const { apiVersion, kind, metadata, spec = {} } = manifest as Manifest;
    const known = this.#check(manifest as Manifest);
    const key = this.#keyOf(apiVersionOf(known.kind), kind, metadata);
    const before = this.stored.get(key);
    if (before && options.only === 'create') throw new AlreadyExistsError(`${kind} ${metadata.name} exists already`);
    if (!before && options.only === 'update') throw new NotFoundError(`${kind} ${metadata.name} does not exist`);
    if (this.conflicts > 0) {
      this.conflicts -= 1;
      throw new ConflictError('somebody was faster');
    }
    const same =
      before &&
      JSON.stringify(before.spec) === JSON.stringify(spec) &&
      JSON.stringify(before.metadata.labels) === JSON.stringify(metadata.labels ?? {});
    const generation = (before?.metadata.generation ?? 0) + (same ? 0 : 1);
    this.put({
      apiVersion: apiVersionOf(known.kind),
      kind,
      name: metadata.name,
      ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
      labels: metadata.labels ?? {},
      spec,
    });
    const after = this.stored.get(key) as Resource;
    this.stored.set(key, { ...after, metadata: { ...after.metadata, generation } });
    if (kind === 'ResourceDefinition') this.#defineFrom(spec);
    return {
      operation: !before ? 'created' : same ? 'unchanged' : 'configured',
      generation,
      resourceVersion: after.metadata.resourceVersion,
      uid: after.metadata.uid,
      manifest: { apiVersion: apiVersion ?? apiVersionOf(known.kind), kind, metadata, spec },
      warnings: [],
    };
  }

  #check(manifest: Manifest): KnownKind {
    const { apiVersion, kind, metadata, spec = {} } = manifest;
    const known = this.known.find(
      ({ names, kind: one }) => names.kind === kind && (apiVersion === undefined || apiVersionOf(one) === apiVersion),
    );
    if (!known)
      throw new UnknownKindError(
        `nobody knows ${kind} in ${apiVersion}`,
        this.known.map(({ names }) => names.plural),
      );
    const shape = checkManifest({ ...manifest, apiVersion: apiVersionOf(known.kind) });
    const parsed = known.kind.spec.safeParse(spec);
    const issues = (parsed.error?.issues ?? []).map(({ path, message }) => ({ path: ['spec', ...path].join('.'), message }));
    const all = 'issues' in shape ? [...shape.issues, ...issues] : issues;
    if (all.length === 0) return known;
    throw new InvalidError(all, `${kind} ${metadata?.name || ''}`.trim());
  }

  /** `Widget/default/w1`; with its group where kinds share a name. */
  #keyOf(apiVersion: string, kind: string, { name, namespace = 'default' }: Ref): string {
    const isShared = this.known.filter(({ names }) => names.kind === kind).length > 1;
    return `${kind}${isShared ? `.${apiVersion.split('/')[0]}` : ''}/${namespace}/${name}`;
  }

  #family(resource: Resource): Family {
    const children = [...this.stored.values()].filter(({ metadata }) => metadata.ownerReferences[0]?.uid === resource.metadata.uid);
    return { id: resource.metadata.uid, resource, children: children.map((child) => this.#family(child)) };
  }

  #defineFrom(spec: JsonObject): void {
    const { group, names } = spec as { group: string; names: { kind: string } };
    this.define(names.kind, group);
  }

  async dryRun(manifest: unknown) {
    const { apiVersion, kind, metadata, spec = {} } = manifest as Manifest;
    const known = this.#check(manifest as Manifest);
    const before = this.stored.get(this.#keyOf(apiVersionOf(known.kind), kind, metadata));
    const operation = !before
      ? ('created' as const)
      : JSON.stringify(before.spec) === JSON.stringify(spec)
        ? ('unchanged' as const)
        : ('configured' as const);
    return { operation, ...(before ? { before } : {}), after: { apiVersion, kind, metadata, spec }, warnings: [] };
  }

  async list(options: { namespace?: string; allNamespaces?: boolean; labels?: string } = {}): Promise<readonly Resource[]> {
    const picks = parseSelector(options.labels);
    return [...this.stored.values()].filter(
      ({ metadata }) =>
        (options.allNamespaces || metadata.namespace === undefined || metadata.namespace === (options.namespace ?? 'default')) &&
        picks(metadata.labels),
    );
  }

  async run(workflow: string | Ref, options?: RunOptions): Promise<RunHandle> {
    return (await import('../../client/flows.ts')).startRun(this, workflow, options);
  }

  schedule(workflow: string | Ref): FlowSchedule {
    return {
      trigger: async () => {
        this.calls.push({ verb: 'trigger', args: [workflow] });
        return this.triggered;
      },
      backfill: async (range) => {
        this.calls.push({ verb: 'backfill', args: [workflow, range] });
        return this.scheduled;
      },
    };
  }

  async close(): Promise<void> {}

  resources(apiVersion: string, kind: string): Resources {
    const keyOf = (ref: Ref): string => this.#keyOf(apiVersion, kind, ref);
    const isOurs = (resource: Resource): boolean => resource.kind === kind && resource.apiVersion === apiVersion;
    const called = (verb: string, ...args: unknown[]): void => void this.calls.push({ verb, args });
    const get = async (ref: string | Ref): Promise<Resource> => {
      const found = this.stored.get(keyOf(typeof ref === 'string' ? { name: ref } : ref));
      if (!found) throw new NotFoundError(`${kind} ${typeof ref === 'string' ? ref : ref.name} does not exist`);
      return found;
    };
    const done = { generation: 7, resourceVersion: '8' };
    const outcome = (operation: ApplyOutcome['operation']) => ({ ...done, operation, uid: 'u', manifest: {} as Manifest, warnings: [] });
    const { watched } = this;
    return {
      apply: (manifest, options) => this.apply({ apiVersion, kind, ...manifest }, options),
      get,
      list: async (options) => (await this.list(options)).filter(isOurs),
      watch: async function* ({ signal, name } = {}) {
        yield* watched.filter(({ resource }) => isOurs(resource) && resource.metadata.name === (name ?? resource.metadata.name));
        await new Promise((resolve) => (signal?.aborted ? resolve(undefined) : signal?.addEventListener('abort', resolve)));
      },
      delete: async (ref, options?: DeleteOptions) => {
        called('delete', ref, options);
        const { metadata } = await get(ref);
        this.stored.delete(keyOf(metadata));
        return {
          deletionTimestamp: '2026-03-01T12:00:00Z',
          uid: metadata.uid,
          ...(this.leftBehind ? { leftBehind: this.leftBehind } : {}),
        };
      },
      waitFor: async (ref, condition, options) => {
        called('waitFor', ref, condition, options);
        if (condition === 'deleted') return undefined;
        const resource = await get(ref);
        const met = resource.status?.conditions?.some(({ type, status }) => type === condition && status === (options?.status ?? 'True'));
        if (!met) throw new TimeoutError(`${kind} did not become ${condition} in time`);
        return resource;
      },
      setPath: async (ref, path, value) => {
        called('setPath', ref, path, value);
        return outcome('configured');
      },
      command: async (ref, name, args) => {
        called('command', ref, name, args);
        return { ...done, answer: this.answer };
      },
      updateStatus: async () => done,
      events: async () => this.eventsOf,
      history: async () => this.revisions,
      pending: async () => {
        this.#looks += 1;
        this.onLook(this.#looks);
        return this.inTheAir;
      },
      rollback: async (ref, options) => {
        called('rollback', ref, options);
        return done;
      },
      pause: async () => outcome('configured'),
      resume: async () => outcome('unchanged'),
      family: async (ref) => this.#family(await get(ref)),
      reconcile: async (ref, options) => called('reconcile', ref, options),
    };
  }
}
