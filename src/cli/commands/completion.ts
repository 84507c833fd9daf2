import type { Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { UsageError } from '../usage-error.ts';

/** A command of the tree, as a completion script needs it. */
export interface Completion {
  /** `crd create`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly flags: readonly { readonly names: readonly string[]; readonly takesValue: boolean; readonly summary: string }[];
  /** Its first word is a kind, so the shell may ask colony for them. */
  readonly takesKind: boolean;
  /** Its first word is the name of one of these. */
  readonly namesOf: string;
}

/** What a first word called so names. */
const NAMED: Readonly<Record<string, string>> = {
  workflow: 'workflows',
  run: 'workflowruns',
  'run-or-workflow': 'workflowruns,workflows',
};

export async function run(context: Context, [shell = '']: readonly string[]): Promise<undefined> {
  const script = SCRIPTS[shell];
  if (!script) throw new UsageError(`${JSON.stringify(shell)} is no shell that is known here; say bash, zsh or fish`);
  const { buildProgram } = await import('../program.ts');
  context.io.out(script(completionsOf(buildProgram(context.io, async () => {}))));
}

/** The whole tree, the program first. */
export function completionsOf(program: Command, path: readonly string[] = []): readonly Completion[] {
  const commands = program.commands.filter((command) => command.name() !== 'help');
  const own: Completion = {
    path: path.join(' '),
    commands: commands.map((command) => ({ name: command.name(), summary: command.summary() })),
    flags: program.options.map(flagOf),
    takesKind: program.registeredArguments[0]?.name().startsWith('kind') ?? false,
    namesOf: NAMED[program.registeredArguments[0]?.name() ?? ''] ?? '',
  };
  return [own, ...commands.flatMap((command) => completionsOf(command, [...path, command.name()]))];
}

function flagOf({ short, long, required, optional, description }: Option): Completion['flags'][number] {
  return { names: [short, long].filter((name) => name !== undefined), takesValue: required && !optional, summary: description };
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const names = (completion: Completion): string =>
  [...completion.commands.map(({ name }) => name), ...completion.flags.flatMap((flag) => flag.names)].join(' ');

function bash(all: readonly Completion[]): string {
  const [root] = all;
  const globals = root?.flags.flatMap((flag) => flag.names).join(' ') ?? '';
  const withValue = [
    ...new Set(all.flatMap(({ flags }) => flags.filter(({ takesValue }) => takesValue).flatMap((flag) => flag.names))),
  ].join('|');
  const cases = all.map(
    (one) =>
      `    ${quoted(one.path)}) words=${quoted(one.path === '' ? names(one) : `${names(one)} ${globals}`)}; kinds=${one.takesKind ? 1 : ''}; of=${one.namesOf} ;;`,
  );
  return `# colony completion for bash: source <(colony completion bash)
_colony() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" path="" words="" kinds="" of="" args=0 i word skip=""
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ -n "$skip" ]]; then skip=""; continue; fi
    case "$word" in
      ${withValue}) skip=1 ;;
      -*) ;;
      *) if [[ " ${subcommandPaths(all)} " == *"|\${path:+$path }$word|"* ]]; then path="\${path:+$path }$word"; else ((args++)); fi ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  case "$prev" in
    -f|--filename) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    -o|--output) COMPREPLY=($(compgen -W "table wide json yaml name jsonpath=" -- "$cur")); return ;;
    --cascade) COMPREPLY=($(compgen -W "background foreground orphan" -- "$cur")); return ;;
  esac
  if [[ -n "$kinds" && "$cur" != -* ]]; then
    if ((args == 0)); then COMPREPLY=($(compgen -W "$(colony kinds -o name 2>/dev/null | cut -d. -f1)" -- "$cur")); return; fi
    COMPREPLY=($(compgen -W "$(colony get "\${COMP_WORDS[2]}" -o name 2>/dev/null | cut -d/ -f2)" -- "$cur")); return
  fi
  if [[ -n "$of" && "$cur" != -* && $args -eq 0 ]]; then
    COMPREPLY=($(compgen -W "$(colony get "$of" -o name 2>/dev/null | cut -d/ -f2)" -- "$cur")); return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _colony colony
`;
}

const subcommandPaths = (all: readonly Completion[]): string => all.map(({ path }) => `|${path}|`).join(' ');

function zsh(all: readonly Completion[]): string {
  const describe = ({ commands }: Completion): string =>
    commands.map(({ name, summary }) => quoted(`${name}:${summary.replaceAll(':', '\\:')}`)).join(' ');
  const flags = ({ flags: list }: Completion): string =>
    list.flatMap(({ names, summary }) => names.map((name) => quoted(`${name}:${summary.replaceAll(':', '\\:')}`))).join(' ');
  const cases = all.map(
    (one) =>
      `    ${quoted(one.path)}) commands=(${describe(one)}); flags=(${flags(one)}); kinds=${one.takesKind ? 1 : "''"}; of=${quoted(one.namesOf)} ;;`,
  );
  return `#compdef colony
# colony completion for zsh: colony completion zsh > "\${fpath[1]}/_colony"
_colony() {
  local -a commands flags
  local path="" kinds="" of="" word args=0 i
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    [[ "$word" == -* ]] && continue
    if [[ " ${subcommandPaths(all)} " == *"|\${path:+$path }$word|"* ]]; then path="\${path:+$path }$word"; else ((args++)); fi
  done
  case "$path" in
${cases.join('\n')}
  esac
  case "\${words[CURRENT-1]}" in
    -f|--filename) _files; return ;;
    -o|--output) compadd table wide json yaml name jsonpath=; return ;;
  esac
  if [[ -n "$kinds" && "\${words[CURRENT]}" != -* ]]; then
    if ((args == 0)); then compadd -- \${(f)"$(colony kinds -o name 2>/dev/null | cut -d. -f1)"}; return; fi
    compadd -- \${(f)"$(colony get "\${words[3]}" -o name 2>/dev/null | cut -d/ -f2)"}; return
  fi
  if [[ -n "$of" && "\${words[CURRENT]}" != -* && $args -eq 0 ]]; then
    compadd -- \${(f)"$(colony get "$of" -o name 2>/dev/null | cut -d/ -f2)"}; return
  fi
  (( \${#commands} )) && _describe command commands
  (( \${#flags} )) && _describe option flags
}
compdef _colony colony
`;
}

function fish(all: readonly Completion[]): string {
  const lines = all.flatMap(({ path, commands, flags, takesKind, namesOf }) => {
    const [first, second] = path.split(' ');
    const when =
      path === ''
        ? '__fish_use_subcommand'
        : second
          ? `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${second}`
          : `__fish_seen_subcommand_from ${first}`;
    return [
      ...commands.map(({ name, summary }) => `complete -c colony -f -n ${quoted(when)} -a ${quoted(name)} -d ${quoted(summary)}`),
      ...flags.map(({ names: all, takesValue, summary }) => {
        const spelled = all.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)).join(' ');
        const condition = path === '' ? '' : ` -n ${quoted(when)}`;
        return `complete -c colony${condition} ${spelled}${takesValue ? ' -r' : ''} -d ${quoted(summary)}`;
      }),
      ...(takesKind ? [`complete -c colony -f -n ${quoted(when)} -a '(colony kinds -o name 2>/dev/null | cut -d. -f1)'`] : []),
      ...(namesOf ? [`complete -c colony -f -n ${quoted(when)} -a '(colony get ${namesOf} -o name 2>/dev/null | cut -d/ -f2)'`] : []),
    ];
  });
  return `# colony completion for fish: colony completion fish | source\n${lines.join('\n')}\n`;
}

const SCRIPTS: Readonly<Record<string, (all: readonly Completion[]) => string>> = { bash, zsh, fish };
