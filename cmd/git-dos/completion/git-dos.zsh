#compdef git-dos
#description coordinate workers that share a git repository
# Completion of git-dos, and of git dos through zsh's completion of git, made by
# git dos completion zsh. Name this file _git-dos, in a folder of fpath.

_git-dos ()
{
	local value means
	local -a values texts said place
	# Completion of git keeps what stands before the command out of words.
	if [[ $service == git && -n ${opt_args[-C]-} ]]; then
		place=(-C "${${(Q)opt_args[-C]}/#\~\//$HOME/}")
	fi
	said=("$place[@]" "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}")
	while IFS=$'\t' read -r value means; do
		values+=("$value")
		texts+=("$value${means:+ -- $means}")
	done < <(command git-dos completion words -- "${said[@]}" 2>/dev/null)
	if (( $#values )); then
		compadd -l -d texts -a -- values
	else
		_files
	fi
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
	_git-dos "$@"
else
	compdef _git-dos git-dos
fi
