import { allNewsOf, inventoryOf } from '../core/children.ts';
import type { ChildNews, ChildRef } from '../core/family.ts';
import type { View } from '../core/plan.ts';
import { shorten } from '../core/quote.ts';
import { bare, isReadyAsApplied } from './goal.ts';
import { MESSAGE_CHARS, placed } from './report.ts';
import type { ApplicationStatus, ComponentReport } from './schema.ts';

type Named = Pick<ComponentReport, 'name' | 'kind' | 'ref'>;

/**
 * How those are that go with their application, or stay when it goes; those that are gone are told of, too.
 *
 * Who was only about to be made may be there although no step has said so: it is gone when all are.
 */
export function leavingReports(
  view: View<unknown>,
  { components = [], inventory = [] }: Partial<ApplicationStatus>,
  isUnderWay: boolean,
): readonly ComponentReport[] {
  const children = inventoryOf(view);
  const known = components.filter(({ phase }) => phase !== 'Skipped');
  const others = children.filter((child) => !known.some((one) => isOf(child, one)));
  const reportOf = (one: Named, before?: ComponentReport): ComponentReport => {
    const child = children.find((other) => isOf(other, one));
    const entry = inventory.find(({ component, kind }) => component === one.name && kind === one.kind);
    if (view.propagation === 'Orphan' || entry?.deletionPolicy === 'Orphan') {
      if (child) return told(view, child, 'Kept', 'stays, and belongs to nobody');
      return before?.phase === 'Kept' ? before : gone(one);
    }
    const news = newsOf(view, one, child);
    const isLeft = isUnderWay ? child !== undefined || entry !== undefined : view.propagation !== 'Foreground' && news !== undefined;
    if (news?.gone || !isLeft) return gone(one);
    if (!child) return { ...one, phase: 'Leaving', ready: false };
    return told(
      view,
      child,
      'Leaving',
      news?.deleting ? shorten(bare(news.message), MESSAGE_CHARS) : 'goes when those that need it are gone',
    );
  };
  return [
    ...known.map((report) => reportOf(nameOf(report), report)),
    ...others.map(({ key, name, kind }) => reportOf({ name: key ?? name, kind })),
  ];
}

const nameOf = ({ name, kind, ref }: ComponentReport): Named => ({ name, kind, ...(ref ? { ref } : {}) });

const told = (view: View<unknown>, child: ChildRef, phase: 'Leaving' | 'Kept', message: string): ComponentReport => ({
  name: child.key ?? child.name,
  kind: child.kind,
  ...placed(child),
  phase,
  ready: isReadyAsApplied(view, child),
  ...(message ? { message } : {}),
});

const gone = ({ name, kind }: Named): ComponentReport => ({ name, kind, phase: 'Gone', ready: false });

const isOf = (child: ChildRef, { name, kind, ref }: Named): boolean =>
  (child.key ?? child.name) === name && child.kind === kind && (ref?.apiVersion ?? child.apiVersion) === child.apiVersion;

/** What it last told of itself, also when the inventory does not have it any more. */
const newsOf = (view: View<unknown>, { ref }: Named, child: ChildRef | undefined): ChildNews | undefined =>
  allNewsOf(view).find((news) =>
    child ? news.uid === child.uid : ref && news.apiVersion === ref.apiVersion && news.kind === ref.kind && news.name === ref.name,
  );
