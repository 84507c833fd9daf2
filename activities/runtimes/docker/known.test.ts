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

  describe('of an end for want of memory, which the engine tells in two events', () => {
    const running = { ...inspection, seen: { ...inspection.seen, state: 'running' as const } };
    const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString();
    const killed = { code: 137, signal: 'SIGKILL', at: at(1) };
    const watching = (): Known => {
      const known = new Known();
      known.watching();
      known.begin('a')(running);
      return known;
    };

    it('does not forget it when the end is told again by one who had not heard of it, be it with what was said last', () => {
      const known = watching();
      known.died('a', killed);
      const before = known.inspection('a')?.seen.exit;
      known.starved('a', at(2));
      const told = known.ended('a', { ...killed, ...before, log: 'full' });
      expect(told).toEqual({ ...killed, outOfMemory: true, log: 'full' });
      expect([known.exit('a'), known.inspection('a')?.seen.exit]).toEqual([told, told]);
    });

    it('knows it also of an end that was only found by looking', () => {
      const known = new Known();
      known.watching();
      known.starved('a', at(0));
      expect(known.ended('a', killed)).toEqual({ ...killed, outOfMemory: true });
    });

    it('knows in whatever order they come, and says when that is news', () => {
      const [before, after] = [watching(), watching()];
      expect(before.starved('a', at(0))).toBe(false);
      before.died('a', killed);
      after.died('a', killed);
      expect(after.starved('a', at(2))).toBe(true);
      expect(after.starved('a', at(2)), 'once').toBe(false);
      for (const known of [before, after]) {
        expect(known.exit('a')).toEqual({ ...killed, outOfMemory: true });
        expect(known.inspection('a')?.seen).toMatchObject({ state: 'exited', exit: { outOfMemory: true } });
      }
    });

    it('takes no other end for one, nor one of long after', () => {
      const known = watching();
      known.starved('a', at(0));
      known.died('a', { ...killed, code: 1 });
      expect(known.exit('a')?.outOfMemory).toBeUndefined();
      known.begin('a')(running);
      known.died('a', { ...killed, at: at(59) });
      expect(known.exit('a')?.outOfMemory).toBeUndefined();
      expect(known.starved('b', at(59)), 'of one that lives on').toBe(false);
    });
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
