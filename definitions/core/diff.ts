/** One field that differs between the spec last reconciled and the one in force. */
export interface FieldChange {
  readonly path: string;
  readonly type: 'added' | 'modified' | 'removed';
  readonly old?: unknown;
  readonly new?: unknown;
}

const MAX_CHANGES = 50;
const MAX_VALUE_CHARS = 1_000;

/** Field by field what became of an object; arrays and scalars count as one value. Bounded in number and size. */
export function diff(before: unknown, after: unknown, root: string): FieldChange[] {
  const changes: FieldChange[] = [];
  compare(before, after, root, changes);
  return changes.slice(0, MAX_CHANGES);
}

function compare(before: unknown, after: unknown, path: string, changes: FieldChange[]): void {
  if (changes.length >= MAX_CHANGES || isSame(before, after)) return;
  if (isPlainObject(before) && isPlainObject(after)) {
    for (const key of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
      compare(before[key], after[key], `${path}.${key}`, changes);
    }
    return;
  }
  const type = before === undefined ? 'added' : after === undefined ? 'removed' : 'modified';
  changes.push({
    path,
    type,
    ...(before === undefined ? {} : { old: shortened(before) }),
    ...(after === undefined ? {} : { new: shortened(after) }),
  });
}

/** Equal as JSON, whatever the order of the keys. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  }
  if (!isPlainObject(a) || !isPlainObject(b)) return false;
  const keys = Object.keys(a).filter((key) => a[key] !== undefined);
  const others = Object.keys(b).filter((key) => b[key] !== undefined);
  return keys.length === others.length && keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shortened(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : value;
}
