import { isBrought, newsOf } from '../core/children.ts';
import { fillTemplate, written } from '../core/expressions/index.ts';
import type { ChildRef, ChildWish } from '../core/family.ts';
import type { View } from '../core/plan.ts';
import { shorten } from '../core/quote.ts';
import type { JsonObject } from '../core/resource.ts';
import { toldTree } from '../core/told-path.ts';
import type { Component } from './component.ts';
import { bare, childOfComponent, type Goal, isReadyAsApplied, isWaitedFor, problemOf, type Wished } from './goal.ts';
import { childNews } from './live.ts';
import { isHeld } from './release.ts';
import type { Resolved } from './resolve.ts';
import type { ApplicationSpec, ComponentReport, Release } from './schema.ts';
import { NOTHING, saidOf, scopeOf } from './scope.ts';
import { broughtText, fullKindOf, problemText } from './trouble.ts';

export const MESSAGE_CHARS = 200;
const MAX_VALUES_CHARS = 16 * 1024;

/** What an application does now, and for what. */
export interface Doing {
  readonly release: Release;
  /** What shall be in the end: the spec, or after a failed release the last good one. */
  readonly goal: Goal;
  /** What is brought now; of the goal the rest has to wait. */
  readonly wishes: readonly ChildWish[];
}

/** How each component is, in the order of the spec. */
export function reportsOf(view: View<ApplicationSpec>, doing: Doing): readonly ComponentReport[] {
  const { goal, release } = doing;
  return goal.components.map((component) => {
    const one = goal.resolved.get(component.name) as Resolved;
    const child = childOfComponent(view, component);
    if (one.state === 'wished') return wishedReport(view, doing, { component, wish: one.wish, isReady: one.isReady }, child);
    if (one.state === 'skipped') return { ...base(component), phase: 'Skipped', ready: false, message: 'is not wanted: when is false' };
    const news = child && newsOf(view, child.id);
    return {
      ...base(component),
      ...placed(child),
      phase: news?.phase ?? 'Waiting',
      ready: release.phase === 'Complete' && isReadyAsApplied(view, child),
      ...(one.waitingFor.length > 0 ? { waitingFor: [...one.waitingFor] } : {}),
      message: shorten(one.message, MESSAGE_CHARS),
    };
  });
}

/** How those are that no component wants any more. */
export function leftoverReports(view: View<unknown>, leftovers: readonly ChildRef[], word: 'Leaving' | 'Kept'): readonly ComponentReport[] {
  return leftovers.map((child) => ({
    name: child.key ?? child.name,
    kind: child.kind,
    ...placed(child),
    phase: word,
    ready: newsOf(view, child.id)?.ready === 'True',
    message:
      word === 'Kept'
        ? 'is no component any more; kept because prune is false'
        : 'is no component any more; goes when all others are ready',
  }));
}

function wishedReport(
  view: View<ApplicationSpec>,
  doing: Doing,
  { component, wish, isReady }: Wished,
  child: ChildRef | undefined,
): ComponentReport {
  const news = childNews(view, wish);
  const problem = problemOf(view, wish);
  const head = { ...base(component), ...placed(child) };
  if (isReady) return { ...head, phase: news?.phase ?? 'Ready', ready: true };
  if (problem && !isBrought(view, wish)) {
    return {
      ...head,
      phase: news?.phase ?? (isWaitedFor(problem.reason) ? 'Waiting' : 'Blocked'),
      ready: false,
      ...(problem.reason === 'KindUnknown' ? { waitingFor: [`kind ${fullKindOf(component)}`] } : {}),
      message: shorten(problemText(problem, component), MESSAGE_CHARS),
    };
  }
  const said = isBrought(view, wish) ? broughtText(view, doing.goal, component, wish) : bringingText(view, doing, wish, child);
  return { ...head, phase: news?.phase ?? 'Pending', ready: false, ...(said ? { message: shorten(bare(said), MESSAGE_CHARS) } : {}) };
}

function bringingText(view: View<ApplicationSpec>, doing: Doing, wish: ChildWish, child: ChildRef | undefined): string {
  const why = whyNotBegun(view, doing, wish);
  if (why === undefined) return 'is being applied';
  return `is not ${child ? 'changed' : 'begun'}: ${why}`;
}

function whyNotBegun(view: View<ApplicationSpec>, { release, wishes }: Doing, { key }: ChildWish): string | undefined {
  if (isHeld(view)) return view.spec.suspend ? 'suspend is true' : 'the application is paused';
  if (wishes.some((wish) => wish.key === key)) return undefined;
  return release.phase === 'Failed' ? 'the release failed' : 'its turn on the way back has not come';
}

const base = ({ name, given }: Component) => ({ name, kind: given.kind });

/** Where a component is, once it is made. */
export function placed(child: ChildRef | undefined): Pick<ComponentReport, 'ref' | 'appliedGeneration'> {
  if (!child) return {};
  const { apiVersion, kind, namespace, name, generation } = child;
  return {
    ref: { apiVersion, kind, ...(namespace ? { namespace } : {}), name },
    ...(generation === undefined ? {} : { appliedGeneration: generation }),
  };
}

/** What every component told that others asked for; undefined when it is too much to be remembered. */
export function valuesOf(view: View<unknown>, { components, resolved }: Goal): Readonly<Record<string, JsonObject>> | undefined {
  const told = Object.fromEntries(
    components.flatMap(({ name }) => {
      const one = resolved.get(name);
      const values = one?.state === 'wished' ? childNews(view, one.wish)?.values : undefined;
      return values && Object.keys(values).length > 0 ? [[name, values] as const] : [];
    }),
  );
  return JSON.stringify(told).length <= MAX_VALUES_CHARS ? told : undefined;
}

/** The outputs that can be told now, and what is missing for the others. */
export function outputsOf(
  view: View<unknown>,
  { spec, components }: Goal,
): { readonly outputs: JsonObject; readonly missing: readonly string[] } {
  const children = new Map(components.map((component) => [component.name, childOfComponent(view, component)] as const));
  const told = [...children].map(([name, child]) => [
    name,
    child ? saidOf(child.name, toldTree(newsOf(view, child.id)?.values ?? {})) : NOTHING,
  ]);
  const scope = scopeOf(spec.params ?? {}, Object.fromEntries(told), (name) => children.get(name)?.id);
  const outputs: Record<string, unknown> = {};
  const missing: string[] = [];
  for (const [name, template] of Object.entries(spec.outputs ?? {})) {
    const filled = fillTemplate(template, scope);
    if ('value' in filled) outputs[name] = filled.value;
    else
      missing.push(
        `output ${name} ${'problem' in filled ? `is wrong: ${filled.problem}` : `needs ${filled.missing.map(written).join(', ')}`}`,
      );
  }
  return { outputs, missing };
}
