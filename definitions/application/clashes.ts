import { type Reference, readExpression, readTemplate, written } from '../core/expressions/index.ts';
import { withPassedSecrets } from '../core/passed-secrets.ts';
import { listed, quote } from '../core/quote.ts';
import type { Clash } from '../replicas/schema.ts';
import { componentsOf, namesOf, roots } from './component.ts';
import { cycleOf, graphOf } from './graph.ts';
import type { ApplicationSpec } from './schema.ts';

type Path = Clash['path'];

/** What the texts of a spec may name. */
interface Known {
  readonly params: readonly string[];
  readonly components: readonly string[];
}

/** What each field may be by itself and yet not together with the others: names, references, expressions, cycles. */
export function clashesOf(spec: ApplicationSpec): readonly Clash[] {
  const names = namesOf(spec.components);
  const known: Known = { params: Object.keys(spec.params ?? {}), components: names };
  const clashes = [
    ...twice(spec, names),
    ...spec.components.flatMap((component, index) => {
      const at: Path = ['components', index];
      return [
        ...dependsOnClashes(component.dependsOn ?? [], [...at, 'dependsOn'], known),
        ...expressionClashes(component.when, 'when', [...at, 'when'], known),
        ...expressionClashes(component.readyWhen, 'readyWhen', [...at, 'readyWhen'], known),
        ...templateClashes(component.spec, 'spec', [...at, 'spec'], known),
      ];
    }),
    ...templateClashes(spec.outputs ?? {}, 'outputs', ['outputs'], known),
  ];
  return clashes.length > 0 ? clashes : cycleClashes(spec, names);
}

function twice({ components }: ApplicationSpec, names: readonly string[]): readonly Clash[] {
  return names.flatMap((name, index) => {
    const first = names.indexOf(name);
    if (first === index) return [];
    const { name: isNamed } = components[index] ?? {};
    const message = `is there twice: components[${first}] is called ${quote(name)} too`;
    return [{ path: ['components', index, ...(isNamed ? ['name'] : [])], message }];
  });
}

function dependsOnClashes(names: readonly string[], at: Path, known: Known): readonly Clash[] {
  return names.flatMap((name, index) =>
    known.components.includes(name) ? [] : [{ path: [...at, index], message: unknownComponent(name, known) }],
  );
}

function expressionClashes(text: boolean | string | undefined, place: 'when' | 'readyWhen', at: Path, known: Known): readonly Clash[] {
  if (typeof text !== 'string') return [];
  const read = readExpression(text, { roots: roots[place] });
  const messages = 'problem' in read ? [read.problem] : read.references.flatMap((reference) => problemOf(reference, place, known) ?? []);
  return [...new Set(messages)].map((message) => ({ path: at, message }));
}

/** Text by text, so that each complaint has the path of its own text. */
function templateClashes(value: unknown, place: 'spec' | 'outputs', at: Path, known: Known): readonly Clash[] {
  if (typeof value === 'string') {
    const { references, computed, issues } = readTemplate(withPassedSecrets(value), { roots: roots[place] });
    const messages = [
      ...issues.map(({ message }) => message),
      ...references.flatMap((reference) => problemOf(reference, place, known) ?? []),
      ...computed.filter(isSecret).map(computedSecret),
    ];
    return [...new Set(messages)].map((message) => ({ path: at, message }));
  }
  if (typeof value !== 'object' || value === null) return [];
  const fields: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((item, index) => [index, item] as const)
    : Object.entries(value);
  return fields.flatMap(([key, field]) => templateClashes(field, place, [...at, key], known));
}

function problemOf(reference: Reference, place: keyof typeof roots, known: Known): string | undefined {
  const [root, name, field, key, ...more] = reference;
  const text = written(reference);
  if (root === 'params') {
    if (name === undefined) return 'params must be followed by the name of one: params.x';
    return known.params.includes(name) ? undefined : `unknown param ${quote(name)}; known: ${listed(known.params) || 'none'}`;
  }
  if (root === 'self') {
    if (reference.length === 2 && name === 'phase') return undefined;
    return name === 'status' && field !== undefined ? undefined : `${text} cannot be told; allowed: self.phase, self.status.<field>`;
  }
  if (name === undefined) return 'components must be followed by the name of one: components.x.status.y';
  if (!known.components.includes(name)) return unknownComponent(name, known);
  if (field === 'secret' && key !== undefined && more.length === 0) {
    return place === 'when' ? `${text} is a secret: it cannot decide anything, only be passed on in spec` : undefined;
  }
  if (field === 'status' && key !== undefined) return undefined;
  if (field === 'metadata' && key === 'name' && more.length === 0) return undefined;
  const base = `components.${name}`;
  return `${text} cannot be referred to; allowed: ${base}.status.<field>, ${base}.secret.<key>, ${base}.metadata.name`;
}

const isSecret = ([root, , field, key]: Reference): boolean => root === 'components' && field === 'secret' && key !== undefined;

const computedSecret = (reference: Reference): string => {
  const text = written(reference);
  return `${text} is a secret: it may stand alone or inside a text, as \${${text}}, but nothing can be computed from it`;
};

const unknownComponent = (name: string, { components }: Known): string => `unknown component ${quote(name)}; known: ${listed(components)}`;

function cycleClashes(spec: ApplicationSpec, names: readonly string[]): readonly Clash[] {
  const cycle = cycleOf(graphOf(componentsOf(spec)));
  if (!cycle) return [];
  return [{ path: ['components', names.indexOf(cycle[0] as string)], message: `needs itself: ${cycle.join(' → ')}` }];
}
