# bash completion for cyclo: `cyclo completions bash`
_cyclo() {
  local rest=${COMP_LINE:0:COMP_POINT} gap part index candidate current prefix
  local -a words=()
  for ((index = 0; index <= COMP_CWORD; index++)); do
    gap=${rest%%[![:space:]]*}
    rest=${rest#"$gap"}
    part=${COMP_WORDS[index]}
    ((index == COMP_CWORD)) && part=$rest
    if [[ $index != 0 && -z $gap ]]; then words[-1]+=$part; else words+=("$part"); fi
    rest=${rest#"$part"}
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
    COMPREPLY+=("${candidate#"$prefix"}")
  done < <("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null)
}
complete -F _cyclo cyclo
