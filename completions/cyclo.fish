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
