import { digestOf } from '../core/digest.ts';
import type { ImageAnswer, ImagePin, InstanceRevision } from '../core/instance.ts';
import { HEARTBEAT_MS, patience } from '../core/patience.ts';
import type { View } from '../core/plan.ts';
import type { Step } from '../core/step.ts';
import type { Template } from '../core/template.ts';
import { IMAGE, queueOf } from './lanes.ts';
import { nudgeOf } from './nudge.ts';
import { type Replicated, runsItself } from './replicated.ts';
import type { ReplicasFacts } from './report.ts';

/** What the spec in force stands for, as far as that is known. */
export interface Target {
  /** Undefined until its image is known. */
  readonly revision: InstanceRevision | undefined;
  readonly steps: readonly Step[];
  /** Why the image cannot be had, for a person. */
  readonly problem?: { readonly reason: string; readonly message: string };
  /** When it is asked for again, while it cannot be had. */
  readonly askAt?: number;
}

const PULL_MS = 60 * 60_000;
const ASK_AGAIN_MS = 5 * 60_000;

/**
 * The revision of a spec. A tag is looked up when the template comes, so that all instances of a revision are the same; and
 * again by whoever asks for it, when what it stood for is gone.
 */
export function targetOf(view: View<unknown>, { template }: Replicated, node: string, facts: Partial<ReplicasFacts>): Target {
  const { generation } = view.metadata;
  if (template.image === undefined || runsItself(template.runtime)) return { revision: revisionOf(template, generation), steps: [] };
  const wish = `image/${template.pullPolicy}/${template.image}/${digestOf(template)}`;
  const seen = view.observed[IMAGE];
  const isCurrent = seen !== undefined && (seen.key === wish || seen.key.startsWith(`${wish}/@`));
  const answer = isCurrent ? (seen.value as ImageAnswer) : undefined;
  const revision = answer?.pin
    ? revisionOf(template, generation, answer.pin)
    : answer || template.pullPolicy === 'Always'
      ? undefined
      : knownRevision(template, generation, facts);
  if (revision) {
    const isGone = facts.problems?.some(({ reason }) => reason === 'ImageMissing') ?? false;
    const isAsked = isGone && nudgeOf(seen) < view.nudge;
    return { revision, steps: isAsked ? [resolving(view, template, node, `${wish}/@${seen?.at ?? 0}n${view.nudge}/${node}`)] : [] };
  }
  const askAt = answer && seen ? seen.at + ASK_AGAIN_MS : undefined;
  const isDue = askAt === undefined || askAt <= view.now || nudgeOf(seen) < view.nudge;
  // A first question is left to its answer: who wants it asked again would begin a long pull anew.
  const again = view.nudge > 0 && (answer || view.failing[IMAGE]) ? `n${view.nudge}` : '';
  return {
    revision: undefined,
    // It is asked of a node: another node is another flight.
    steps: isDue ? [resolving(view, template, node, `${wish}/@${answer && seen ? seen.at : 0}${again}/${node}`)] : [],
    ...(answer?.problem ? { problem: answer.problem } : {}),
    ...(askAt === undefined ? {} : { askAt }),
  };
}

/** One that this template stood for a moment ago: whoever goes back gets what was there, whatever the tag stands for by now. */
function knownRevision(template: Template, generation: number, facts: Partial<ReplicasFacts>): InstanceRevision | undefined {
  return [facts.targetRevision, facts.currentRevision, facts.rollout?.from]
    .filter((report) => report?.image !== undefined)
    .map((report) => ({ report, revision: revisionOf(template, generation, { ref: report?.image as string }) }))
    .find(({ report, revision }) => report?.digest === revision.digest)?.revision;
}

/** The last revision that was reached wholly, from the spec of that time and what its tag stood for then. */
export function stableOf(
  view: View<unknown>,
  facts: Partial<ReplicasFacts>,
  templateOf: (spec: unknown) => Template,
): InstanceRevision | undefined {
  const { currentRevision } = facts;
  if (!currentRevision || view.stableSpec === undefined) return undefined;
  const pin = currentRevision.image === undefined ? undefined : { ref: currentRevision.image };
  const revision = revisionOf(templateOf(view.stableSpec), currentRevision.generation, pin);
  // A newer colony may translate the old spec otherwise: then what runs is no longer what could be made again.
  return revision.digest === currentRevision.digest ? revision : undefined;
}

function revisionOf(template: Template, generation: number, image?: ImagePin): InstanceRevision {
  return { digest: digestOf({ template, image: image?.ref }), generation, template, ...(image ? { image } : {}) };
}

function resolving(view: View<unknown>, template: Template, node: string, key: string): Step {
  const { retry, ...limit } = patience(view, IMAGE, key, PULL_MS);
  return {
    key,
    about: IMAGE,
    activity: 'resolveImage',
    queue: queueOf(node),
    reason: 'ResolvingImage',
    summary: `look up image ${template.image}`,
    input: { runtime: template.runtime, image: template.image, policy: template.pullPolicy },
    timeouts: { ...limit, startToCloseMs: PULL_MS, heartbeatMs: HEARTBEAT_MS, ...startLimit(view, IMAGE, key) },
    retry,
  };
}

/** Only the first flight says that nobody is there; the next waits without end, without writing history. */
export function startLimit(view: View<unknown>, lane: string, key: string): { readonly scheduleToStartMs?: number } {
  const failing = view.failing[lane];
  const hadNobody = failing?.key === key && failing.reason === 'ExecutorUnavailable';
  return hadNobody ? {} : { scheduleToStartMs: view.tuning.scheduleToStartMs };
}
