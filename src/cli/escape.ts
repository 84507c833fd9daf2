/**
 * Everything a terminal would act on instead of showing: C0 and C1 controls, DEL, and the marks that turn the reading direction.
 * Newline and tab are included; whoever prints lines splits them first.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above, without newline and tab
const CONTROL_IN_TEXT = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const visible = (char: string): string => {
  if (char === '\n') return '\\n';
  if (char === '\t') return '\\t';
  if (char === '\r') return '\\r';
  const code = char.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
};

/** One line of foreign text, safe to print: no character in it can move the cursor, change colours or hide text. */
export const escapeLine = (text: string): string => text.replace(CONTROL, visible);

/** As `escapeLine`, for text whose newlines and tabs are meant. */
export const escapeText = (text: string): string => text.replace(CONTROL_IN_TEXT, visible);

/** For JSON and double-quoted YAML, where such characters stand only inside strings: the same value, written with escapes. */
export const escapeQuoted = (text: string): string =>
  text.replace(CONTROL_IN_TEXT, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** True when printing the text as it is could make the terminal do something. */
export const hasControls = (text: string): boolean => text.search(CONTROL_IN_TEXT) >= 0;

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal, and nothing else it obeys
const COLOUR = /(\u001b\[[0-9;:]*m)/;

/** A line of a log for a terminal: colours and tabs are kept, whatever else a terminal would obey is shown. */
export const escapeLog = (line: string): string =>
  line
    .split(COLOUR)
    .map((part, index) => (index % 2 === 1 ? part : escapeText(part)))
    .join('');
