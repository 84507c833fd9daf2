const MAX_SHOWN = 60;
/** Plain enough to stand in a sentence without quotation marks. */
const BARE = /^[A-Za-z0-9_./:@-]+$/;
/** What JSON leaves as it is although it moves a terminal's cursor, hides text or turns its direction. */
const INVISIBLE = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff]/g;

const escaped = (text: string): string => text.replace(INVISIBLE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Shortens a text that comes from outside, so that a message stays one line. */
export function shorten(text: string, length = MAX_SHOWN): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * Shows any value inside a sentence: at most about 60 characters, no control characters, never the whole of an object.
 */
export function quote(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  switch (typeof value) {
    case 'string':
      return escaped(JSON.stringify(shorten(value)));
    case 'object':
      return 'an object';
    case 'undefined':
      return 'nothing';
    case 'number':
    case 'boolean':
      return String(value);
    default:
      return `a ${typeof value}`;
  }
}

/** The same for a value that is allowed: words stand without quotation marks. */
export function word(value: unknown): string {
  if (typeof value === 'string') return BARE.test(value) ? shorten(value) : quote(value);
  if (typeof value === 'object' && value !== null) return shorten(escaped(JSON.stringify(value)));
  return quote(value);
}

const MAX_LISTED = 20;

/** A list of allowed values for a sentence: `a, b, c and 7 more`. */
export function listed(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_LISTED).map(word).join(', ');
  return values.length > MAX_LISTED ? `${shown} and ${values.length - MAX_LISTED} more` : shown;
}
