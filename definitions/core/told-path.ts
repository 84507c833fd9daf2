import type { JsonObject } from './resource.ts';

/** What cannot stand between two dots of a path, nor between two spaces of a list of them. */
const ODD = /[.\s]|\["|^$/;
const PART = /\["(?:[^"\\]|\\.)*"\]|(?:(?!\[")[^.])+/g;

/**
 * A path as `colony.io/tells` has it: `status.endpoint`; a field that a dot or a space would tear apart stands quoted,
 * `status.zones["eu.north"]`.
 *
 * Guarantees: without a space; `toldFields` reads it back. Fields that need no quotation marks stand as they always did.
 */
export function toldPath(fields: readonly string[]): string {
  const parts = fields.map((field) => (ODD.test(field) ? `[${spaceless(JSON.stringify(field))}]` : `.${field}`));
  return parts.join('').replace(/^\./, '');
}

/** The fields of such a path. */
export function toldFields(path: string): readonly string[] {
  return (path.match(PART) ?? []).map((part) => (part.startsWith('["') ? unquoted(part) : part));
}

/** The object as far as it was told, by path. */
export function toldTree(values: JsonObject): JsonObject {
  const tree: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(values)) {
    const fields = [...toldFields(path)];
    const last = fields.pop() ?? '';
    let place = tree;
    for (const field of fields) {
      const inner = place[field];
      // A copy: it may have been told as a whole, too.
      place[field] = isObject(inner) ? { ...inner } : {};
      place = place[field] as Record<string, unknown>;
    }
    place[last] = value;
  }
  return tree as JsonObject;
}

const spaceless = (text: string): string => text.replace(/\s/g, (space) => `\\u${space.charCodeAt(0).toString(16).padStart(4, '0')}`);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is no text in quotation marks is taken as it stands: nothing has such a field. */
function unquoted(part: string): string {
  try {
    return JSON.parse(part.slice(1, -1)) as string;
  } catch {
    return part;
  }
}
