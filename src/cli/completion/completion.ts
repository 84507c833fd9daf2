import type { Command, Option } from 'commander';

/** A command of the tree, as a completion script needs it. */
export interface Completion {
  /** `crd create`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly flags: readonly { readonly names: readonly string[]; readonly takesValue: boolean; readonly summary: string }[];
  /** What its words name, so that the shell may ask colony: a kind and then names of it, KIND/NAME in one word, or a name alone. */
  readonly takes: 'kind' | 'kind/name' | 'name' | '';
  /** Of which kind a name alone is. */
  readonly namesOf: string;
  /** It takes more than one of them. */
  readonly many: boolean;
}

/** What a first word called so names. */
const NAMED: Readonly<Record<string, string>> = {
  workflow: 'workflows',
  run: 'workflowruns',
  'run-or-workflow': 'workflowruns,workflows',
};

/** What `name` names below these commands. */
const NAMED_BELOW: Readonly<Record<string, string>> = { crd: 'resourcedefinitions', resource: 'all' };

/** The whole tree, the program first. */
export function completionsOf(program: Command, path: readonly string[] = []): readonly Completion[] {
  const commands = program.commands.filter((command) => command.name() !== 'help');
  const [first] = program.registeredArguments;
  const word = first?.name() ?? '';
  const namesOf = (word === 'name' ? NAMED_BELOW[path[0] ?? ''] : NAMED[word]) ?? '';
  const own: Completion = {
    path: path.join(' '),
    commands: commands.map((command) => ({ name: command.name(), summary: command.summary() })),
    flags: program.options.map(flagOf),
    takes: namesOf ? 'name' : word === 'kind/name' ? word : word.startsWith('kind') ? 'kind' : '',
    namesOf,
    many: first?.variadic ?? false,
  };
  return [own, ...commands.flatMap((command) => completionsOf(command, [...path, command.name()]))];
}

function flagOf({ short, long, required, optional, description }: Option): Completion['flags'][number] {
  return { names: [short, long].filter((name) => name !== undefined), takesValue: required && !optional, summary: description };
}

/** A word of a shell that stands for itself. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A pattern of the options that are followed by a value. */
export const withValue = (all: readonly Completion[]): string =>
  [...new Set(all.flatMap(({ flags }) => flags.filter(({ takesValue }) => takesValue).flatMap((flag) => flag.names)))].join('|');

/** Options that say where to look: the shell hands them on to colony when it asks for names. */
export const PLACE = '-n|--namespace|--address|--temporal-namespace';

/** All commands in one word, so that a shell can see whether a line goes on to name one. */
export const pathsOf = (all: readonly Completion[]): string => all.map(({ path }) => `|${path}|`).join(' ');
