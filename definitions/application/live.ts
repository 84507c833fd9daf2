import { childOf, isChildReady, newsOf } from '../core/children.ts';
import { test, written } from '../core/expressions/index.ts';
import type { ChildNews, ChildWish } from '../core/family.ts';
import type { View } from '../core/plan.ts';
import type { JsonObject } from '../core/resource.ts';
import { toldTree } from '../core/told-path.ts';
import type { Component } from './component.ts';
import type { Source } from './resolve.ts';

/** What components tell of themselves now. */
export function liveSource(view: Pick<View, 'observed'>, params: JsonObject): Source {
  return {
    params,
    isReady: (component, wish) => isChildReady(view, wish) && unmet(view, component, wish, params) === undefined,
    valuesOf: (_component, wish) => childNews(view, wish)?.values ?? {},
  };
}

/** What components told each other when all of them were ready; who told nothing then is asked now. */
export function rememberedSource(
  view: Pick<View, 'observed'>,
  params: JsonObject,
  remembered: Readonly<Record<string, JsonObject>>,
): Source {
  return {
    params,
    isReady: () => true,
    valuesOf: ({ name }, wish) => remembered[name] ?? childNews(view, wish)?.values ?? {},
  };
}

/** What a component last told, if it was this very one. */
export function childNews(view: Pick<View, 'observed'>, wish: Pick<ChildWish, 'key' | 'manifest'>): ChildNews | undefined {
  const child = childOf(view, wish);
  const news = child && newsOf(view, child.id);
  return news?.uid === child?.uid ? news : undefined;
}

/** What of `readyWhen` is not so yet, in a few words. */
export function unmet(view: Pick<View, 'observed'>, { given }: Component, wish: ChildWish, params: JsonObject): string | undefined {
  if (given.readyWhen === undefined) return undefined;
  const news = childNews(view, wish);
  const self = { status: {}, ...toldTree(news?.values ?? {}), phase: news?.phase ?? '' };
  const answer = test(given.readyWhen, { values: { self, params } });
  if ('problem' in answer) return `readyWhen: ${answer.problem}`;
  if ('missing' in answer) return `is ready when ${given.readyWhen}; ${answer.missing.map(written).join(', ')} is not known yet`;
  return answer.value ? undefined : `is ready when ${given.readyWhen}`;
}
