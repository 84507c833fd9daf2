import { median } from '../report/statistics.ts';
import { type HistoryEvent, timeOf } from '../stage/histories.ts';
import type { Happening } from './lookout.ts';

/** A moment on the way, by whoever saw it: ms since the epoch. */
export type Moments = Readonly<Record<string, number | undefined>>;

/** Gathers how long each part of a way took, over many runs of it. */
export class Anatomy {
  private readonly parts = new Map<string, number[]>();

  /** Moments in the order in which they come; one that is missing is left out. */
  add(began: number, moments: Moments): void {
    let last = began;
    for (const [name, at] of Object.entries(moments)) {
      if (at === undefined) continue;
      this.parts.set(name, [...(this.parts.get(name) ?? []), at - last]);
      last = at;
    }
  }

  /** `→ sync scheduled 38 ms → taken 4 ms …`, medians. */
  toString(): string {
    return [...this.parts].map(([name, ms]) => `→ ${name} ${Math.round(median(ms))} ms`).join(' ');
  }
}

/** From `apply` to the last start, as history and engine tell it. */
export function momentsOfCreate(events: readonly HistoryEvent[], happenings: readonly Happening[]): Moments {
  const [flight] = flightsOf(events);
  return {
    'workflow started': events[0] && timeOf(events[0]),
    'sync scheduled': flight?.scheduled,
    'taken by the agent': flight?.started,
    'first created': firstOf(happenings, 'create'),
    'first running': firstOf(happenings, 'start'),
    'last running': lastOf(happenings, 'start'),
    answered: flight?.ended,
  };
}

/** The same of one who keeps no history. */
export function momentsWithout(happenings: readonly Happening[]): Moments {
  return {
    'first created': firstOf(happenings, 'create'),
    'first running': firstOf(happenings, 'start'),
    'last running': lastOf(happenings, 'start'),
  };
}

export function momentsOfDelete(events: readonly HistoryEvent[], happenings: readonly Happening[]): Moments {
  const flight = flightsOf(events).at(-1);
  return {
    'sync scheduled': flight?.scheduled,
    'taken by the agent': flight?.started,
    'first ended': firstOf(happenings, 'die'),
    'first gone': firstOf(happenings, 'destroy'),
    'last gone': lastOf(happenings, 'destroy'),
    answered: flight?.ended,
  };
}

/** From the kill to the start; `since`: when it began. */
export function momentsOfHeal(events: readonly HistoryEvent[], happenings: readonly Happening[], since: number): Moments {
  const later = happenings.filter(({ at }) => at >= since);
  const told = events.find((event) => event.workflowExecutionUpdateAcceptedEventAttributes && timeOf(event) >= since);
  const flight = flightsOf(events).find(({ scheduled }) => scheduled >= since);
  return {
    dead: firstOf(later, 'die'),
    'workflow told': told && timeOf(told),
    'sync scheduled': flight?.scheduled,
    'taken by the agent': flight?.started,
    running: firstOf(later, 'start'),
    answered: flight?.ended,
  };
}

/** How much of a rolling update was spent in the agent's hands, and how much between. */
export function partsOfUpdate(events: readonly HistoryEvent[], began: number, ended: number): string {
  const flights = flightsOf(events).filter(({ scheduled }) => scheduled >= began);
  const inside = flights.reduce((sum, { started, ended }) => sum + (ended ?? started) - started, 0);
  const queued = flights.reduce((sum, { scheduled, started }) => sum + started - scheduled, 0);
  const all = Math.round(ended - began);
  return `${all} ms: ${flights.length} flights, ${Math.round(inside)} ms in the agent, ${Math.round(queued)} ms to reach it, ${Math.round(all - inside - queued)} ms between`;
}

interface Flight {
  readonly scheduled: number;
  readonly started: number;
  readonly ended: number | undefined;
}

/** Every syncInstances that has begun, in order. */
function flightsOf(events: readonly HistoryEvent[]): readonly Flight[] {
  return events.flatMap((event) => {
    if (event.activityTaskScheduledEventAttributes?.activityType?.name !== 'syncInstances') return [];
    const started = events.find(({ activityTaskStartedEventAttributes: one }) => one?.scheduledEventId?.equals(event.eventId ?? 0));
    const ended = events.find(({ activityTaskCompletedEventAttributes: one }) => one?.scheduledEventId?.equals(event.eventId ?? 0));
    return started ? [{ scheduled: timeOf(event), started: timeOf(started), ended: ended && timeOf(ended) }] : [];
  });
}

const timesOf = (happenings: readonly Happening[], wanted: Happening['action']): readonly number[] =>
  happenings.filter(({ action }) => action === wanted).map(({ at }) => at);

const firstOf = (happenings: readonly Happening[], wanted: Happening['action']): number | undefined => timesOf(happenings, wanted)[0];

const lastOf = (happenings: readonly Happening[], wanted: Happening['action']): number | undefined => timesOf(happenings, wanted).at(-1);
