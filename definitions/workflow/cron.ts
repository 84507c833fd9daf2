import { Cron } from 'croner';
import { quote } from '../core/quote.ts';

/** What the server's schedules understand, too: no seconds, no words such as @daily, none of the letters that only some know. */
const FIELD = /^(?:\*|[A-Za-z]{3}|\d{1,2})(?:-(?:[A-Za-z]{3}|\d{1,2}))?(?:\/\d{1,2})?$/;

/** What is wrong with a cron text, or nothing. */
export function cronProblem(text: string): string | undefined {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== 5) return `must be a cron text of five fields such as "0 1 * * *" (got ${quote(text)})`;
  const odd = fields.find((field) => !field.split(',').every((part) => FIELD.test(part)));
  if (odd !== undefined) return `cannot be read at ${quote(odd)}: each field holds *, numbers, a-b, lists with "," and steps with "/"`;
  try {
    return nextRunAfter(text, 'UTC', 0) === undefined ? `never comes: none of its months has such a day (got ${quote(text)})` : undefined;
  } catch {
    return `is not possible: minute 0-59, hour 0-23, day 1-31, month 1-12, day of the week 0-7 (got ${quote(text)})`;
  }
}

/** What is wrong with the name of a time zone, or nothing. */
export function zoneProblem(zone: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return undefined;
  } catch {
    return `must be a time zone such as Europe/Stockholm or UTC (got ${quote(zone)})`;
  }
}

/** The next time after a given one, ms; undefined when there is none. */
export function nextRunAfter(text: string, zone: string, now: number): number | undefined {
  return cronOf(text, zone).nextRun(new Date(now))?.getTime();
}

/** As cron always did: of a day of the month and a day of the week, either will do (activities/flows tells the server so). */
const cronOf = (text: string, timezone: string): Cron => new Cron(text.trim(), { timezone, paused: true, mode: '5-part' });
