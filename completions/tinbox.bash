# Completions of tinbox for bash. Load them with: source <(tinbox completion bash)
# tinbox gets the line as it was typed and splits it itself: nothing of it is evaluated.

_tinbox() {
	local reply
	COMPREPLY=()
	while IFS= read -r reply; do
		if [[ $reply == :files ]]; then
			compopt -o default 2>/dev/null
		else
			COMPREPLY+=("$reply")
		fi
	done < <(command tinbox __complete --bash="${COMP_LINE:0:COMP_POINT}" --breaks="$COMP_WORDBREAKS" 2>/dev/null)
}

complete -F _tinbox tinbox
