import { describe, expect, it } from 'vitest';
import { type Inspection, Known } from './known.ts';

const inspection = { seen: { id: 'a' }, networks: [] } as unknown as Inspection;

describe('Known', () => {
  it('hands out nothing while no events come in', () => {
    const known = new Known();
    known.begin('a')(inspection);
    expect(known.inspection('a')).toBeUndefined();
  });

  it('hands out what was seen since events come in, until one drops it', () => {
    const known = new Known();
    known.watching();
    known.begin('a')(inspection);
    expect(known.inspection('a')).toBe(inspection);
    known.drop('a');
    expect(known.inspection('a')).toBeUndefined();
  });

  it('does not keep a look during which something happened', () => {
    const known = new Known();
    known.watching();
    const store = known.begin('a');
    known.drop('a');
    store(inspection);
    expect(known.inspection('a')).toBeUndefined();
  });

  it('keeps a look at what runs when it hears of the start, before or after', () => {
    const known = new Known();
    const running = { ...inspection, seen: { ...inspection.seen, state: 'running' as const } };
    known.watching();
    const store = known.begin('a');
    known.started('a');
    store(running);
    known.started('a');
    expect(known.inspection('a')).toBe(running);
    known.begin('a')(inspection);
    known.started('a');
    expect(known.inspection('a')).toBeUndefined();
  });

  it('does not keep a look that began before events came in', () => {
    const known = new Known();
    const store = known.begin('a');
    known.watching();
    store(inspection);
    expect(known.inspection('a')).toBeUndefined();
  });

  it('forgets everything when the events stop', () => {
    const known = new Known();
    known.watching();
    known.begin('a')(inspection);
    known.blind();
    known.watching();
    expect(known.inspection('a')).toBeUndefined();
  });
});
