# Completion of git dos and git-dos for bash, made by git dos completion bash.
# Git's own completion calls _git_dos. What git-dos offers is taken as text: it
# is quoted where it goes into the line, and nothing of it is ever evaluated.

# __git_dos_offer GIT-DOS-WORD...: candidates for the last of these words, as
# the rest of the word that is being typed.
__git_dos_offer ()
{
	local word="${*: -1}" value means typed
	# Readline replaces only what follows the last of its word breaks.
	typed=$word
	if [[ $COMP_WORDBREAKS == *=* ]]; then typed=${typed##*=}; fi
	if [[ $COMP_WORDBREAKS == *:* ]]; then typed=${typed##*:}; fi
	local before="${word%"$typed"}"
	COMPREPLY=()
	while IFS=$'\t' read -r value means; do
		printf -v value '%q' "${value#"$before"}"
		COMPREPLY+=("$value ")
	done < <(command git-dos completion words -- "$@" 2>/dev/null)
}

# _git_dos is called by git's completion, with words, cword and the place of
# the command among them.
_git_dos ()
{
	local at=${__git_cmd_idx-}
	if [[ -z $at ]]; then
		at=1
		while ((at < cword)) && [[ ${words[at]} != dos ]]; do at=$((at + 1)); done
	fi
	local -a place=()
	if ((${#__git_C_args[@]} == 2)); then place=(-C "${__git_C_args[1]}"); fi
	__git_dos_offer "${place[@]}" "${words[@]:at+1:cword-at-1}" "${words[cword]}"
}

# __git_dos_alone completes git-dos itself. Bash parts words at = and :, which
# stand inside ours, so they are put together again along the line.
__git_dos_alone ()
{
	local line="${COMP_LINE:0:COMP_POINT}" part i
	local -a whole=()
	for ((i = 0; i <= COMP_CWORD; i++)); do
		part=${COMP_WORDS[i]}
		if ((i == COMP_CWORD)) && [[ $line != *"$part" ]]; then
			part=${line#"${line%%[![:space:]]*}"}
		fi
		if ((i > 0)) && [[ $line != [[:space:]]* ]]; then
			whole[${#whole[@]} - 1]+=$part
		else
			whole+=("$part")
		fi
		line=${line#"${line%%[![:space:]]*}"}
		line=${line#"$part"}
	done
	__git_dos_offer "${whole[@]:1}"
}

complete -o bashdefault -o default -o nospace -F __git_dos_alone git-dos
