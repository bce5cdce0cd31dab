# Completions of tinbox for fish. Put this file into ~/.config/fish/completions, or load it with:
# tinbox completion fish | source

function __tinbox_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l plain (string unescape -- $current; or printf '%s\n' $current)
    for line in (command tinbox __complete -- $words[2..] "$plain" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else
            printf '%s\n' $line
        end
    end
end

complete -c tinbox -f -a '(__tinbox_complete)'
