import { type Completion, PLACE, pathsOf, quoted, withValue } from './completion.ts';

const told = (name: string, summary: string): string => quoted(`${name}:${summary.replaceAll(':', '\\:')}`);

/** The script for zsh, where `path` is not a name that is free: it is PATH. */
export function zsh(all: readonly Completion[]): string {
  const cases = all.map(({ path, commands, flags, takes, namesOf, many }) => {
    const subcommands = commands.map(({ name, summary }) => told(name, summary)).join(' ');
    const options = flags.flatMap(({ names, summary }) => names.map((name) => told(name, summary))).join(' ');
    return `    ${quoted(path)}) commands=(${subcommands}); flags=(${options}); takes=${quoted(takes)}; of=${quoted(namesOf)}; many=${quoted(many ? '1' : '')} ;;`;
  });
  return `#compdef colony
# colony completion for zsh: colony completion zsh > "\${fpath[1]}/_colony"
_colony_kinds() { colony kinds "\${place[@]}" -o name 2>/dev/null | cut -d. -f1 }
_colony_names() { colony get "$1" "\${place[@]}" -o name 2>/dev/null | cut -d/ -f2 }
_colony() {
  local -a commands flags place
  local cur="\${words[CURRENT]}" where="" takes="" of="" many="" first="" word="" option="" args=0 i
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if [[ -n "$option" ]]; then
      case "$option" in (${PLACE}) place+=("$option" "$word") ;; esac
      option=""; continue
    fi
    case "$word" in
      (--*=*) case "\${word%%=*}" in (${PLACE}) place+=("$word") ;; esac ;;
      (${withValue(all)}) option="$word" ;;
      (-*) ;;
      (*)
        if [[ " ${pathsOf(all)} " == *"|\${where:+$where }$word|"* ]]; then where="\${where:+$where }$word"
        else ((args++)); [[ -z "$first" ]] && first="$word"; fi ;;
    esac
  done
  case "$where" in
${cases.join('\n')}
  esac
  case "$option" in
    (-f|--filename) _files; return ;;
    (-o|--output) compadd -- table wide json yaml name jsonpath=; return ;;
    (--cascade) compadd -- background foreground orphan; return ;;
    (?*) return ;;
  esac
  if [[ "$cur" != -* && -n "$takes" ]]; then
    if [[ "$takes" == name ]]; then
      if ((args == 0)) || [[ -n "$many" ]]; then compadd -- \${(f)"$(_colony_names "$of")"}; return; fi
    elif [[ "$cur" == */* ]]; then
      compadd -p "\${cur%%/*}/" -- \${(f)"$(_colony_names "\${cur%%/*}")"}; return
    elif [[ "$takes" == kind && $args -gt 0 && "$first" != */* ]]; then
      compadd -- \${(f)"$(_colony_names "$first")"}; return
    elif [[ "$takes" == kind && $args -eq 0 ]]; then
      compadd -- \${(f)"$(_colony_kinds)"}; return
    elif [[ $args -eq 0 || "$first" == */* && ( -n "$many" || "$takes" == kind ) ]]; then
      compadd -S / -- \${(f)"$(_colony_kinds)"}; return
    fi
  fi
  if (( \${#commands} )); then _describe command commands; fi
  if (( \${#flags} )); then _describe option flags; fi
}
if [[ "$funcstack[1]" == _colony ]]; then _colony; else compdef _colony colony; fi
`;
}
