import { type Completion, quoted } from './completion.ts';

/** The script for fish. */
export function fish(all: readonly Completion[]): string {
  const lines = all.flatMap(({ path, commands, flags, takes, namesOf }) => {
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
      ...(takes.startsWith('kind')
        ? [`complete -c colony -f -n ${quoted(when)} -a '(colony kinds -o name 2>/dev/null | cut -d. -f1)'`]
        : []),
      ...(namesOf ? [`complete -c colony -f -n ${quoted(when)} -a '(colony get ${namesOf} -o name 2>/dev/null | cut -d/ -f2)'`] : []),
    ];
  });
  return `# colony completion for fish: colony completion fish | source\n${lines.join('\n')}\n`;
}
