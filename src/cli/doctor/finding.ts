/** What one check found. */
export interface Finding {
  readonly check: string;
  /** `skipped` is no failure: it could not be found out, or is not needed everywhere. */
  readonly state: 'ok' | 'bad' | 'skipped';
  readonly found: string;
  /** What to do about it. */
  readonly todo?: string;
}

export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found });
export const bad = (check: string, found: string, todo: string): Finding => ({ check, state: 'bad', found, todo });
export const skipped = (check: string, found: string, todo?: string): Finding => ({
  check,
  state: 'skipped',
  found,
  ...(todo ? { todo } : {}),
});
