/**
 * A five-field cron text as Temporal takes it.
 *
 * Whoever names days of the month and days of the week means either, as cron always did; Temporal takes them for both at once.
 * So such a text becomes two, one for each.
 */
export function cronExpressionsOf(cron: string): readonly string[] {
  const [minute, hour, day = ANY, month, weekday = ANY, ...rest] = cron.trim().split(/\s+/);
  if (rest.length > 0 || isAny(day) || isAny(weekday)) return [cron.trim()];
  return [[minute, hour, day, month, ANY].join(' '), [minute, hour, ANY, month, weekday].join(' ')];
}

const ANY = '*';

const isAny = (field: string): boolean => field === ANY || field === '?';
