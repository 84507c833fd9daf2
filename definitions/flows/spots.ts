import { type Reference, readExpression, readTemplate } from '../core/expressions/index.ts';

/** One text that is computed, where it stands, and what it speaks of. */
export interface Spot {
  readonly path: readonly (string | number)[];
  readonly references: readonly Reference[];
  readonly problems: readonly string[];
}

/** Every text of a value that holds a `${…}`, with its place. */
export function spotsOf(value: unknown, roots: readonly string[], at: Spot['path'] = []): Spot[] {
  if (typeof value === 'string') {
    if (!value.includes('${')) return [];
    const { references, issues } = readTemplate(value, { roots });
    return [{ path: at, references, problems: issues.map(({ message }) => message) }];
  }
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => spotsOf(item, roots, [...at, index]));
  return Object.entries(value).flatMap(([key, field]) => spotsOf(field, roots, [...at, key]));
}

/** A condition, which is computed as a whole. */
export function conditionSpot(text: string | undefined, roots: readonly string[], at: Spot['path']): Spot[] {
  if (text === undefined) return [];
  const read = readExpression(text, { roots });
  return [{ path: at, references: 'references' in read ? read.references : [], problems: 'problem' in read ? [read.problem] : [] }];
}
