# bash completion for cyclo: `cyclo completions bash`
_cyclo() {
  local rest=${COMP_LINE:0:COMP_POINT} gap part index candidate current prefix quote= word
  local -a words=()
  for ((index = 0; index <= COMP_CWORD; index++)); do
    gap=${rest%%[![:space:]]*}
    rest=${rest#"$gap"}
    part=${COMP_WORDS[index]}
    ((index == COMP_CWORD)) && part=$rest
    if [[ $index != 0 && -z $gap ]]; then words[-1]+=$part; else words+=("$part"); fi
    rest=${rest#"$part"}
  done
  # The words are as they were typed: names have no quotes around them.
  for index in "${!words[@]}"; do
    part=${words[index]} word= quote=
    while [[ $part ]]; do
      case $quote${part:0:1} in
        \' | \") quote=${part:0:1} ;;
        \'\' | \"\") quote= ;;
        \\ | \"\\) part=${part:1} word+=${part:0:1} ;;
        *) word+=${part:0:1} ;;
      esac
      part=${part:1}
    done
    words[index]=$word
  done
  current=${words[-1]}
  prefix=${current%"${current##*[=:]}"}
  COMPREPLY=()
  while IFS=$'\t' read -r candidate _; do
    if [[ $candidate == :files ]]; then
      compopt -o default 2>/dev/null
      return
    fi
    [[ $candidate == *= ]] && compopt -o nospace 2>/dev/null
    candidate=${candidate#"$prefix"}
    # A name may contain anything: the shell has to read it as one word, and run none of it.
    case $quote in
      '') printf -v candidate %q "$candidate" ;;
      \') candidate=${candidate//\'/\'\\\'\'} ;;
      \") candidate=${candidate//\\/\\\\} candidate=${candidate//\"/\\\"} candidate=${candidate//\$/\\\$} candidate=${candidate//\`/\\\`} ;;
    esac
    COMPREPLY+=("$candidate")
  done < <("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null)
}
complete -F _cyclo cyclo
