import { apiVersionOf, type Kind } from '../../definitions/core/kind.ts';
import type { CommandAnswer } from '../../definitions/core/messages.ts';
import type { JsonObject } from '../../definitions/core/resource.ts';
import type { ApplyOptions, ApplyOutcome, KnownKind, ListOptions, Ref, Resources, WatchEvent, WatchOptions } from './api.ts';
import { apply } from './apply.ts';
import { ask } from './ask.ts';
import type { Context } from './context.ts';
import { remove } from './delete.ts';
import { edit, pausing, setting } from './edit.ts';
import { asColonyError, asCommandError } from './failures.ts';
import { readFamily } from './family.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { PendingReader } from './pending.ts';
import { sorted } from './published.ts';
import type { Scope } from './queries.ts';
import { parseSelector } from './selector.ts';
import { send } from './send.ts';
import { DEFAULT_NAMESPACE, type Target, targetOf } from './target.ts';
import { waitFor } from './wait.ts';
import { type Picks, resume, watch } from './watch.ts';

/** All that can be done with the resources of one kind; the kind is looked up at the first call. */
export function resourcesOf(context: Context, lookUp: () => Promise<KnownKind>): Resources {
  const { session, reader, informers } = context;
  const pending = new PendingReader(session);
  const placed = async (ref: string | Ref): Promise<{ known: KnownKind; target: Target }> => {
    const known = await lookUp();
    return { known, target: targetOf(known.kind, ref) };
  };
  const update = (target: Target, name: 'command' | 'status', body: object): Promise<CommandAnswer> =>
    send<CommandAnswer>(session, { ...target, update: name, body });
  const command = async (ref: string | Ref, name: string, args?: JsonObject): Promise<CommandAnswer> => {
    const { target } = await placed(ref);
    return update(target, 'command', { name, ...(args ? { args } : {}) }).catch((error) =>
      Promise.reject(asCommandError(error, name, target.subject)),
    );
  };
  const change = async (ref: string | Ref, request: ReturnType<typeof setting>): Promise<ApplyOutcome> => {
    const { known, target } = await placed(ref);
    return edit(context, known, target, request);
  };
  return {
    apply: async (manifest, options?: ApplyOptions) => {
      const known = await lookUp();
      return apply(context, { ...manifest, apiVersion: apiVersionOf(known.kind), kind: known.names.kind }, options, known);
    },
    get: async (ref) => get(session, reader, (await placed(ref)).target),
    list: async (options = {}) => {
      const picks = parseSelector(options.labels);
      const known = await lookUp();
      if (!options.cached) return list(session, reader, scopeOf(known.kind, options), picks);
      const isWanted = pickerOf(known.kind, options);
      const { resources } = (await informers.of(known)).snapshot();
      return sorted(resources.filter(([id, resource]) => isWanted(id, resource)).map(([, resource]) => resource));
    },
    watch: (options = {}) => watchKind(context, lookUp, options),
    delete: async (ref, options) => {
      const { known, target } = await placed(ref);
      return remove(context, known, target, options);
    },
    waitFor: async (ref, condition, options) => waitFor(context, (await placed(ref)).target, condition, options),
    setPath: async (ref, path, value) => change(ref, setting(path, value)),
    command,
    updateStatus: async (ref, status) => {
      const { target } = await placed(ref);
      return update(target, 'status', { status }).catch((error) => Promise.reject(asColonyError(error, target.subject)));
    },
    events: async (ref) => ask(session, (await placed(ref)).target, 'events'),
    history: async (ref) => ask(session, (await placed(ref)).target, 'history'),
    pending: async (ref) => pending.read((await placed(ref)).target),
    rollback: (ref, { to } = {}) => command(ref, 'rollback', to === undefined ? {} : { to }),
    pause: (ref) => change(ref, pausing(true)),
    resume: (ref) => change(ref, pausing(false)),
    family: async (ref) => readFamily(context, (await placed(ref)).target),
    reconcile: async (ref, { force = false } = {}) => {
      const { target } = await placed(ref);
      try {
        await session.within(Date.now() + session.timeoutMs, () =>
          session.workflows.getHandle(target.workflowId).signal('reconcile', { force }),
        );
      } catch (error) {
        throw asColonyError(error, target.subject);
      }
    },
  };
}

async function* watchKind(context: Context, lookUp: () => Promise<KnownKind>, options: WatchOptions): AsyncGenerator<WatchEvent> {
  const known = await lookUp();
  const picks = pickerOf(known.kind, options);
  const informer = await context.informers.of(known);
  if (options.since === undefined) yield* watch(informer, picks, options.signal);
  else yield* resume(informer, picks, options.since, options.signal);
}

/** Which rows a list reads. Throws InvalidError for a namespace that cannot be one. */
function scopeOf(kind: Kind, options: ListOptions): Scope {
  const namespace = namespaceOf(kind, options);
  const { names, group } = kind;
  return { kind: { kind: names.kind, plural: names.plural, group }, ...(namespace === undefined ? {} : { namespace }) };
}

function pickerOf(kind: Kind, options: WatchOptions): Picks {
  const namespace = namespaceOf(kind, options);
  const prefix = `${kind.names.plural}.${kind.group}/${namespace === undefined ? '' : `${namespace}/`}`;
  const picks = parseSelector(options.labels);
  return (id, { metadata }) =>
    id.startsWith(prefix) && (options.name === undefined || metadata.name === options.name) && picks(metadata.labels);
}

/** undefined: all of them. */
function namespaceOf(kind: Kind, { namespace = DEFAULT_NAMESPACE, allNamespaces }: ListOptions): string | undefined {
  if (kind.scope === 'Cluster' || allNamespaces) return undefined;
  return targetOf(kind, { name: 'any', namespace }).identity.namespace;
}
