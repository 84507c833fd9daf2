import { type Reference, readExpression, readTemplate } from '../core/expressions/index.ts';
import { withPassedSecrets } from '../core/passed-secrets.ts';
import type { JsonObject } from '../core/resource.ts';
import { toldPath } from '../core/told-path.ts';
import type { ApplicationSpec, ComponentSpec } from './schema.ts';

/** A component in normal form: named, and with everything that its texts say about others. */
export interface Component {
  readonly name: string;
  readonly given: ComponentSpec;
  /** The names of those that must be ready before it, sorted. */
  readonly needs: readonly string[];
  /** Of those, the ones that decide whether it is wanted. */
  readonly decidedBy: readonly string[];
  /** Paths that it shall tell, because somebody refers to them: `status.endpoint`. */
  readonly tells: readonly string[];
}

/** Names at the beginning of an expression, by where it stands. */
export const roots = {
  spec: ['params', 'components'],
  when: ['params', 'components'],
  readyWhen: ['self', 'params'],
  outputs: ['params', 'components'],
} as const;

/** How components are called: by their name, else by their kind; the second of a kind that has no name gets -2. */
export function namesOf(components: readonly Pick<ComponentSpec, 'name' | 'kind'>[]): readonly string[] {
  const counts = new Map<string, number>();
  return components.map(({ name, kind }) => {
    const base = kind.toLowerCase();
    const count = (counts.get(base) ?? 0) + 1;
    counts.set(base, count);
    return name ?? (count === 1 ? base : `${base}-${count}`);
  });
}

/** The components of a spec, in the order in which they were written. Assumes a spec that was admitted. */
export function componentsOf({ components, outputs }: Pick<ApplicationSpec, 'components' | 'outputs'>): readonly Component[] {
  const names = namesOf(components);
  const told = new Map<string, Set<string>>();
  const tell = (name: string, path: readonly string[]) => {
    if (path[0] === 'status') told.set(name, (told.get(name) ?? new Set()).add(toldPath(path)));
  };
  const others = (references: readonly Reference[]): readonly string[] =>
    references.flatMap(([root, name, ...path]) => {
      if (root !== 'components' || name === undefined) return [];
      tell(name, path);
      return [name];
    });
  others(readTemplate(outputs ?? {}, { roots: roots.outputs }).references);
  const read = components.map((written, index) => {
    const name = names[index] as string;
    const given = { ...written, spec: withPassedSecrets(written.spec) as JsonObject };
    const decidedBy = others(expressionReferences(given.when, roots.when));
    for (const [root, ...path] of expressionReferences(given.readyWhen, roots.readyWhen)) if (root === 'self') tell(name, path);
    const wired = others(readTemplate(given.spec, { roots: roots.spec }).references);
    return { name, given, needs: unique([...(given.dependsOn ?? []), ...decidedBy, ...wired]), decidedBy: unique(decidedBy) };
  });
  return read.map((component) => ({ ...component, tells: shortest([...(told.get(component.name) ?? [])]) }));
}

export function expressionReferences(text: boolean | string | undefined, allowed: readonly string[]): readonly Reference[] {
  if (typeof text !== 'string') return [];
  const read = readExpression(text, { roots: allowed });
  return 'references' in read ? read.references : [];
}

/** Who tells `status.outputs` tells `status.outputs.url` with it. */
function shortest(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !paths.some((other) => path.startsWith(`${other}.`) || path.startsWith(`${other}["`))).sort();
}

/** The name of the resource that stands for a component. */
export const childNameOf = (application: string, component: string): string => `${application}-${component}`;

export const unique = (names: readonly string[]): readonly string[] => [...new Set(names)].sort();
