import type { Kind } from '../../definitions/core/kind.ts';
import type { Resource } from '../../definitions/core/resource.ts';
import type { ColonyClient, KnownKind, ListOptions, Resources, WatchEvent, WatchOptions } from './api.ts';
import { apply } from './apply.ts';
import { applyAll } from './apply-all.ts';
import type { Context } from './context.ts';
import { FLOWS, workflowRef } from './flow-ref.ts';
import { scheduleOf } from './flow-schedule.ts';
import { find } from './get.ts';
import type { InformerOptions } from './informer.ts';
import { Informers } from './informers.ts';
import { list } from './list.ts';
import { sorted } from './published.ts';
import { Reader } from './read.ts';
import { Registry } from './registry.ts';
import { resourcesOf } from './resources.ts';
import { parseSelector } from './selector.ts';
import type { Session } from './session.ts';
import { DEFAULT_NAMESPACE, targetOf } from './target.ts';
import { type Picks, resume, watch } from './watch.ts';

/** The client over an open session. */
export function colonyOver(session: Session, informerOptions: InformerOptions = {}): ColonyClient {
  const reader = new Reader(session);
  const informers = new Informers(session, reader, informerOptions);
  const registry = new Registry(session, reader);
  const context: Context = { session, reader, informers, registry };
  const colony: ColonyClient = {
    kind: <Spec, S>(kind: Kind<Spec, S>) => resourcesOf(context, async () => given(kind)) as unknown as Resources<Spec, S>,
    resources: (apiVersion, kind) => resourcesOf(context, () => registry.of(apiVersion, kind)),
    resolve: (name) => registry.named(name),
    resolveAll: (name) => registry.allNamed(name),
    kinds: () => registry.all(),
    apply: (manifest, options) => apply(context, manifest, options),
    applyAll: (manifests, options) => applyAll(context, manifests, options),
    dryRun: async (manifest) => (await import('./dry-run.ts')).dryRun(context, manifest),
    list: (options = {}) => listAll(context, options),
    watch: (options = {}) => watchAll(context, options),
    informer: () => informers.whole(),
    run: async (workflow, options) => (await import('./flows.ts')).startRun(colony, workflow, options),
    schedule: (workflow) => {
      const lookUp = async () => targetOf((await registry.of(FLOWS, 'Workflow')).kind, workflowRef(workflow));
      return scheduleOf(session, lookUp, (target) => find(session, reader, target));
    },
    close: async () => {
      informers.close();
      await session.close();
    },
  };
  return colony;
}

const given = <Spec, S>(kind: Kind<Spec, S>): KnownKind => ({
  kind: kind as unknown as Kind,
  builtIn: true,
  names: kind.names,
  columns: kind.columns ?? [],
});

async function listAll({ session, reader, informers }: Context, options: ListOptions): Promise<Resource[]> {
  const picks = pickerOf(options);
  const isPicked = (resource: Resource): boolean => picks('', resource);
  if (!options.cached) return (await list(session, reader, {}, () => true)).filter(isPicked);
  return sorted((await informers.whole()).snapshot().resources.map(([, resource]) => resource)).filter(isPicked);
}

async function* watchAll({ informers }: Context, options: WatchOptions): AsyncGenerator<WatchEvent> {
  const picks = pickerOf(options);
  const informer = await informers.whole();
  if (options.since === undefined) yield* watch(informer, picks, options.signal);
  else yield* resume(informer, picks, options.since, options.signal);
}

/** Cluster-scoped resources are in no namespace: they are shown with all of them. */
function pickerOf({ namespace = DEFAULT_NAMESPACE, allNamespaces, labels, name }: WatchOptions): Picks {
  const picks = parseSelector(labels);
  return (_id, { metadata }) =>
    (allNamespaces || metadata.namespace === namespace) && (name === undefined || metadata.name === name) && picks(metadata.labels);
}
