import { apiVersionOf } from '../core/kind.ts';
import { HEARTBEAT_MS, patience } from '../core/patience.ts';
import type { Plan, View } from '../core/plan.ts';
import type { ConditionClaim, JsonObject } from '../core/resource.ts';
import type { Observation, Step } from '../core/step.ts';
import type { DefinitionSpec } from './schema.ts';

/** The lane of what is known about the resources of a definition. */
const INSTANCES = 'instances';

/** What a look at all resources of a definition brings back; the list is cut, the count is not. */
interface Refreshed {
  readonly instances: number;
  /** The name of an older definition of the same kind. */
  readonly takenBy?: string;
  readonly notFittingCount?: number;
  readonly notFitting: readonly { readonly name: string; readonly namespace?: string; readonly issues: readonly unknown[] }[];
}

/**
 * Plans a definition: each generation is brought to its resources once, and what no longer fits is told.
 *
 * A definition of a kind that colony has built in, in the versions given, is only noted down. While it is deleted, a definition waits until the last
 * of its resources is gone: without it nobody could say what they are.
 */
export function planDefinition(view: View<DefinitionSpec>, builtInVersions: readonly string[]): Plan {
  const isBuiltIn = builtInVersions.length > 0;
  const isOther = isBuiltIn && !builtInVersions.includes(view.spec.version);
  const spec = isOther ? { ...view.spec, version: builtInVersions.join(', ') } : view.spec;
  const base = { apiVersion: apiVersionOf(spec), kind: spec.names.kind, handler: spec.handler?.executorType ?? 'none', builtIn: isBuiltIn };
  if (isBuiltIn) return { steps: [], status: base, conditions: [established(spec), builtIn(spec, isOther)] };
  const seen = view.observed[INSTANCES];
  const step = view.deleting ? lastGone(view) : refresh(view);
  const result = refreshedBy(seen);
  const isDone = seen?.key === step.key;
  return {
    steps: isDone ? [] : [step],
    status: { ...base, ...misfitsOf(result) },
    conditions: [result?.takenBy ? taken(spec, result.takenBy) : established(spec), fit(result)],
    // Resources are admitted by the published definition, and the step has them admitted again.
    publishFirst: true,
    ...(view.deleting && !isDone
      ? { leftBehind: [`The resources of ${spec.names.kind}: nobody will reconcile them or clean up after them.`] }
      : {}),
  };
}

/** The key names what is wished: this generation, known to all; somebody who asks to look again gets a new look. */
function refresh(view: View<DefinitionSpec>): Step {
  const { metadata, nudge } = view;
  return {
    ...look(view, `refresh/${metadata.generation}${nudge > 0 ? `/n${nudge}` : ''}`, REFRESH_MS),
    activity: 'refreshInstances',
    reason: 'RefreshingInstances',
    summary: `bring generation ${metadata.generation} to all instances`,
    with: ['metadata', 'spec'],
  };
}

function lastGone(view: View<DefinitionSpec>): Step {
  return {
    ...look(view, `gone/${view.metadata.uid}`, COUNT_MS),
    activity: 'awaitNoInstances',
    reason: 'AwaitingInstances',
    summary: 'wait until no instance is left',
    with: ['spec'],
  };
}

const REFRESH_MS = 10 * 60_000;
const COUNT_MS = 60_000;

function look(
  view: View<DefinitionSpec>,
  key: string,
  startToCloseMs: number,
): Pick<Step, 'key' | 'about' | 'input' | 'retry' | 'timeouts'> {
  const { retry, ...limit } = patience(view, INSTANCES, key, startToCloseMs);
  return { key, about: INSTANCES, input: {}, retry, timeouts: { ...limit, startToCloseMs, heartbeatMs: HEARTBEAT_MS } };
}

function refreshedBy(seen: Observation | undefined): Refreshed | undefined {
  const value = seen?.value as Partial<Refreshed> | null | undefined;
  return typeof value?.instances === 'number' ? { ...value, instances: value.instances, notFitting: value.notFitting ?? [] } : undefined;
}

/** Not how many resources there are: they come and go without a word to their definition, and the number would be wrong at once. */
function misfitsOf(result: Refreshed | undefined): JsonObject {
  return result && result.notFitting.length > 0 ? { notFitting: result.notFitting, notFittingCount: countOf(result) } : {};
}

const countOf = ({ notFittingCount, notFitting }: Refreshed): number => Math.max(notFittingCount ?? 0, notFitting.length);

function established({ group, version, names }: DefinitionSpec): ConditionClaim {
  return {
    type: 'Established',
    status: 'True',
    reason: 'Accepted',
    message: `Resources of ${group}/${version} ${names.kind} can be applied.`,
  };
}

function taken({ group, names }: DefinitionSpec, by: string): ConditionClaim {
  const [is, todo] = [`${names.kind} of ${group} is defined by ${by} already`, `colony reconcile crd/${names.plural}.${group}`];
  const message = `${is}, and this definition changes nothing. Delete it; or delete that one, then: ${todo}`;
  return { type: 'Established', status: 'False', reason: 'KindTaken', message };
}

function builtIn({ group, version, names }: DefinitionSpec, isOther: boolean): ConditionClaim {
  const which = isOther ? `, in version ${version}` : '';
  const message = `Colony handles ${names.kind} of ${group} itself${which}; the definition is kept and changes nothing.`;
  return { type: 'BuiltIn', status: 'True', reason: 'BuiltInKind', message };
}

function fit(result: Refreshed | undefined): ConditionClaim {
  if (!result)
    return { type: 'InstancesFit', status: 'Unknown', reason: 'NotLooked', message: 'The instances have not been looked at yet.' };
  const { notFitting } = result;
  if (notFitting.length === 0) return { type: 'InstancesFit', status: 'True', reason: 'AllFit', message: 'All instances fit the schema.' };
  return { type: 'InstancesFit', status: 'False', reason: 'SomeDoNotFit', message: `No longer fit: ${namesOf(result)}.` };
}

function namesOf(result: Refreshed): string {
  const names = result.notFitting.map(({ name, namespace }) => (namespace ? `${namespace}/${name}` : name)).sort();
  const shown = names.slice(0, 10);
  const more = countOf(result) - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
