import type { Condition, Metadata } from '../../definitions/core/resource.ts';
import type { Labels } from './docker/engine-client.ts';
import type { EngineEvent } from './docker/recorder.ts';

/** What the index said of a deployment at one moment. */
export interface Sample {
  readonly at: number;
  /** How long the answer took. */
  readonly tookMs: number;
  readonly generation: number;
  /** Ready, for the spec in force. */
  readonly isReady: boolean;
  readonly replicas: number;
  readonly digest: string;
}

/** An event is told with the time at which it was done, a sample with that at which it was asked for. */
const CLOCKS_MS = 250;

/** News go through so many hands, each as slow as the answer to a sample was: on a busy machine the truth may be older. */
const HANDS = 20;

interface Container {
  readonly id: string;
  readonly labels: Labels;
}

/** What was there between two events. */
export interface State {
  readonly from: number;
  readonly until: number;
  readonly there: number;
  readonly running: readonly Container[];
}

type Moment = Pick<Sample, 'at' | 'tookMs'>;

/** Reads the claim out of a memo and its search attributes. */
export function claimsOf(moment: Moment, memo: Readonly<Record<string, unknown>>, attributes: Readonly<Record<string, unknown>>): Sample {
  const meta = memo.meta as Metadata | undefined;
  const status = memo.status as
    | { conditions?: readonly Condition[]; observedGeneration?: number; targetRevision?: { digest: string } }
    | undefined;
  const isTrue = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
  // After a new spec only the attributes are written at once: they say that nothing is known of it yet.
  const isPublished = (attributes.ColonyReady as readonly string[] | undefined)?.[0] === 'True';
  return {
    ...moment,
    generation: meta?.generation ?? 0,
    isReady: isTrue && isPublished && status?.observedGeneration === meta?.generation,
    replicas: (memo.spec as { replicas?: number } | undefined)?.replicas ?? 0,
    digest: status?.targetRevision?.digest ?? '',
  };
}

/** Folds the events of one owner's containers into what was there over time; the last state goes on for ever. */
export function statesOf(events: readonly EngineEvent[]): State[] {
  const there = new Map<string, Container & { isRunning: boolean }>();
  const states: { from: number; until: number; there: number; running: Container[] }[] = [];
  let from = 0;
  for (const { at, action, id, attributes } of [...events].sort((a, b) => a.at - b.at)) {
    states.push({ from, until: at, there: there.size, running: [...there.values()].filter(({ isRunning }) => isRunning) });
    from = at;
    const container = there.get(id);
    if (action === 'create') there.set(id, { id, labels: attributes, isRunning: false });
    else if (action === 'destroy') there.delete(id);
    else if (container && (action === 'start' || action === 'unpause')) there.set(id, { ...container, isRunning: true });
    else if (container && (action === 'die' || action === 'pause')) there.set(id, { ...container, isRunning: false });
  }
  const running = [...there.values()].filter(({ isRunning }) => isRunning);
  return [...states, { from, until: Number.POSITIVE_INFINITY, there: there.size, running }];
}

/** The first sample that says Ready although at no moment of the time before it things were so; undefined when all are true. */
export function lieIn(samples: readonly Sample[], states: readonly State[], freshMs: number): string | undefined {
  for (const sample of samples) {
    if (!sample.isReady) continue;
    const oldest = sample.at - freshMs - HANDS * sample.tookMs;
    const recent = states.filter(({ from, until }) => until > oldest && from <= sample.at + CLOCKS_MS);
    if (recent.some((state) => isSo(state, sample))) continue;
    const seen = recent.map(({ running }) => running.length).join(', ');
    return `at ${new Date(sample.at).toISOString()} it said Ready with ${sample.replicas}; running in the time before: ${seen}`;
  }
  return undefined;
}

function isSo({ running, there }: State, { replicas, digest }: Sample): boolean {
  const slots = new Set(running.map(({ labels }) => labels['colony.slot']));
  return there === replicas && slots.size === replicas && running.every(({ labels }) => labels['colony.digest'] === digest);
}
