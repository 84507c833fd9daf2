import type { Issue } from '../kind.ts';
import { pathOf } from '../path.ts';
import { compile, unknownRoot } from './compile.ts';
import { fieldsOf, type Path, split, TOO_DEEP, TOO_MANY } from './parts.ts';
import { bounds, type ReadOptions, type Reference } from './types.ts';

/** What the texts of a template say. */
export interface ReadTemplate {
  readonly references: readonly Reference[];
  /** Those of them that something is computed from; the others stand alone in their `${…}`. */
  readonly computed: readonly Reference[];
  readonly issues: readonly Issue[];
}

/**
 * Reads the `${…}` in all strings of a JSON value; `$${` stands for a literal `${`. Keys of objects are not templates.
 *
 * Guarantees: never throws; all issues at once, each with the path inside the value.
 */
export function readTemplate(value: unknown, { roots }: ReadOptions): ReadTemplate {
  const found = new Map<string, Reference>();
  const computed = new Map<string, Reference>();
  const issues: Issue[] = [];
  let expressions = 0;
  visitStrings(value, [], (text, path) => {
    const refuse = (message: string) => issues.push({ path: pathOf('', path), message });
    if (text === undefined) return refuse(TOO_DEEP);
    const parts = split(text);
    if ('problem' in parts) return refuse(parts.problem);
    for (const part of parts) {
      if (!('expression' in part)) continue;
      expressions += 1;
      if (expressions > bounds.expressions) return expressions === bounds.expressions + 1 && refuse(TOO_MANY);
      const expression = compile(part.expression);
      const problem = 'run' in expression ? unknownRoot(expression.references, roots) : expression.problem;
      if (problem !== undefined) refuse(problem);
      else if ('run' in expression) {
        note(found, expression.references);
        if (!expression.plain) note(computed, expression.references);
      }
    }
  });
  return { references: [...found.values()], computed: [...computed.values()], issues };
}

function note(known: Map<string, Reference>, references: readonly Reference[]): void {
  for (const reference of references) known.set(JSON.stringify(reference), reference);
}

/** Calls back for every string, and with undefined where the value is nested too deeply. */
function visitStrings(value: unknown, path: Path, seen: (text: string | undefined, path: Path) => void): void {
  if (typeof value === 'string') return seen(value, path);
  if (typeof value !== 'object' || value === null) return;
  if (path.length > bounds.depth) return seen(undefined, path);
  for (const [key, field] of fieldsOf(value)) visitStrings(field, [...path, key], seen);
}
