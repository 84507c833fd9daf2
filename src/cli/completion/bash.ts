import { type Completion, PLACE, pathsOf, quoted, withValue } from './completion.ts';

const names = (completion: Completion): string =>
  [...completion.commands.map(({ name }) => name), ...completion.flags.flatMap((flag) => flag.names)].join(' ');

/** The script for bash, which takes a word apart at an equals sign: `--namespace=x` are three. */
export function bash(all: readonly Completion[]): string {
  const [root] = all;
  const globals = root?.flags.flatMap((flag) => flag.names).join(' ') ?? '';
  const cases = all.map((one) => {
    const words = quoted(one.path === '' ? names(one) : `${names(one)} ${globals}`);
    return `    ${quoted(one.path)}) words=${words}; takes=${one.takes}; of=${one.namesOf}; many=${one.many ? 1 : ''} ;;`;
  });
  return `# colony completion for bash: source <(colony completion bash)
_colony_kinds() { colony kinds "\${place[@]}" -o name 2>/dev/null | cut -d. -f1; }
_colony_names() { colony get "$1" "\${place[@]}" -o name 2>/dev/null | cut -d/ -f2; }
_colony() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" where="" words="" takes="" of="" many=""
  local first="" args=0 i word option="" place=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ -n "$option" ]]; then
      [[ "$word" == "=" ]] && continue
      case "$option" in ${PLACE}) place+=("$option" "$word") ;; esac
      option=""; continue
    fi
    case "$word" in
      ${withValue(all)}) option="$word" ;;
      -*) ;;
      *)
        if [[ " ${pathsOf(all)} " == *"|\${where:+$where }$word|"* ]]; then where="\${where:+$where }$word"
        else ((args++)); [[ -z "$first" ]] && first="$word"; fi ;;
    esac
  done
  case "$where" in
${cases.join('\n')}
  esac
  case "$prev" in
    -f|--filename) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    -o|--output) COMPREPLY=($(compgen -W "table wide json yaml name jsonpath=" -- "$cur")); return ;;
    --cascade) COMPREPLY=($(compgen -W "background foreground orphan" -- "$cur")); return ;;
  esac
  COMPREPLY=()
  [[ -n "$option" ]] && return
  if [[ "$cur" != -* && -n "$takes" ]]; then
    if [[ "$takes" == name ]]; then
      if ((args == 0)) || [[ -n "$many" ]]; then COMPREPLY=($(compgen -W "$(_colony_names "$of")" -- "$cur")); return; fi
    elif [[ "$cur" == */* ]]; then
      COMPREPLY=($(compgen -P "\${cur%%/*}/" -W "$(_colony_names "\${cur%%/*}")" -- "\${cur#*/}")); return
    elif [[ "$takes" == kind && $args -gt 0 && "$first" != */* ]]; then
      COMPREPLY=($(compgen -W "$(_colony_names "$first")" -- "$cur")); return
    elif [[ "$takes" == kind && $args -eq 0 ]]; then
      COMPREPLY=($(compgen -W "$(_colony_kinds)" -- "$cur")); return
    elif [[ $args -eq 0 || "$first" == */* && ( -n "$many" || "$takes" == kind ) ]]; then
      compopt -o nospace 2>/dev/null
      COMPREPLY=($(compgen -S / -W "$(_colony_kinds)" -- "$cur")); return
    fi
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _colony colony
`;
}
