// `completions`: prints a shell's completion script. The scripts pass the words of the command line
// to `cyclo complete` and show its lines: a candidate, a tab and its meaning, or `:files` for file
// names.

import CommandTable

func completions(_ session: Session) {
  switch session.invocation.words[0] {
  case "bash": session.output.text(bash)
  case "zsh": session.output.text(zsh)
  default: session.output.text(fish)
  }
}

/// Bash also splits words at `=` and `:`, and inserts a candidate for the last part only. So the
/// words are joined as they are in the line, and what precedes the last part is removed from
/// candidates.
private let bash = #"""
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

  """#

private let zsh = #"""
  #compdef cyclo
  # zsh completion for cyclo: `cyclo completions zsh`
  _cyclo() {
    local line candidate
    local -a before open_ended whole
    before=("${(@Q)words[2,CURRENT-1]}")
    for line in "${(@f)$(_call_program cyclo "${(q)words[1]}" complete -- "${(@q)before}" "${(q)${(Q)PREFIX}}" 2>/dev/null)}"; do
      if [[ $line == :files ]]; then
        [[ $PREFIX == --*=* ]] && compset -P '*='
        _files
        return
      fi
      candidate=${line%%$'\t'*}
      [[ -n $candidate ]] || continue
      line="${candidate//:/\\:}:${line#*$'\t'}"
      if [[ $candidate == *= ]]; then open_ended+=("$line"); else whole+=("$line"); fi
    done
    local found=1
    _describe -t values cyclo whole && found=0
    _describe -t values cyclo open_ended -S '' && found=0
    return found
  }
  if [[ ${funcstack[1]} == _cyclo ]]; then _cyclo "$@"; else compdef _cyclo cyclo; fi

  """#

private let fish = #"""
  # fish completion for cyclo: `cyclo completions fish`
  function __cyclo_complete
      set -l words (commandline --tokenize --cut-at-cursor --current-process)
      set -l current (commandline --current-token --cut-at-cursor)
      # Without its backslashes, or the quote that is still open.
      set -l plain (string unescape -- "$current"); or set plain (string trim --left --chars "\"'" -- "$current")
      for line in ($words[1] complete -- $words[2..] "$plain" 2>/dev/null)
          if test "$line" = :files
              set -l lead (string match --regex -- '^--[^=]*=' "$current"); or set lead ''
              printf '%s\n' $lead(__fish_complete_path (string replace -- "$lead" '' "$current"))
          else
              echo $line
          end
      end
  end
  complete --command cyclo --no-files --arguments '(__cyclo_complete)'

  """#
