# Completion of git-dos and git dos, made by git dos completion fish. It belongs
# into conf.d, because fish looks for completions of git in its own file alone.

# __git_dos_said: the words after git dos or git-dos that stand before the one
# that is being typed; fails on any other command line.
function __git_dos_said
    set -l said (commandline -opc)
    test (count $said) -gt 0; or return 1
    set -l command $said[1]
    set -e said[1]
    set -l place
    if test "$command" = git
        while test (count $said) -gt 0; and test "$said[1]" != dos
            switch $said[1]
                case -C
                    set place -C "$said[2]"
                    set -e said[1]
                case -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env
                    set -e said[1]
                case '-*'
                case '*'
                    return 1
            end
            set -e said[1]
        end
        test (count $said) -gt 0; or return 1
        set -e said[1]
    end
    for word in $place $said
        printf '%s\n' $word
    end
end

function __git_dos_words
    set -l said (__git_dos_said)
    set -l now (commandline -ct)
    set -l offered (command git-dos completion words -- $said "$now" 2>/dev/null)
    if test (count $offered) -gt 0
        printf '%s\n' $offered
    else
        __fish_complete_path "$now"
    end
end

complete -c git-dos -f -a '(__git_dos_words)'
complete -c git -n '__git_dos_said >/dev/null' -f -a '(__git_dos_words)'
complete -c git -n 'test (count (commandline -opc)) -eq 1' -f -a dos -d 'Coordinate workers that share a repository'
