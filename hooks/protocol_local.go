package hooks

import (
	"fmt"
	"slices"
	"strings"
)

// The hooks, as git calls them.
const (
	PrePush     = "pre-push"
	PreCommit   = "pre-commit"
	CommitMsg   = "commit-msg"
	Transaction = "reference-transaction"
	PreReceive  = "pre-receive"
	UpdateHook  = "update"
	PostReceive = "post-receive"
)

// transactionStates are the moments at which git calls a reference-transaction
// hook.
var transactionStates = []string{"preparing", "prepared", "committed", "aborted"}

// ParseTransaction reads what git gives a reference-transaction hook: the state
// it is in, and a line for each ref. An old id of none means that the ref is
// made, or moved whatever it was. Symbolic refs and refs outside refs/, such as
// HEAD, are left out.
func ParseTransaction(args []string, stdin []byte) (state string, p Push, err error) {
	if len(args) != 1 || !slices.Contains(transactionStates, args[0]) {
		return "", Push{}, wantArguments(Transaction, "the state: "+strings.Join(transactionStates, ", "), args)
	}
	var kept []byte
	for line := range strings.Lines(string(stdin[:min(len(stdin), MaxInput+1)])) {
		if !aside(line) {
			kept = append(kept, line...)
		}
	}
	updates, err := eachLine(Transaction, kept, transactionLine)
	return args[0], Push{Hook: Transaction, Updates: updates}, err
}

// aside reports whether a line is about a symbolic ref or none under refs/.
func aside(line string) bool {
	words := strings.Split(strings.TrimSuffix(line, "\n"), " ")
	return len(words) == 3 && (strings.HasPrefix(words[0], "ref:") || strings.HasPrefix(words[1], "ref:") || !strings.HasPrefix(words[2], "refs/"))
}

func transactionLine(line string) (Update, error) {
	words := strings.Split(line, " ")
	if len(words) != 3 {
		return Update{}, fmt.Errorf("%d fields, want 3: old id, new id, ref", len(words))
	}
	return update(words[0], words[1], words[2])
}

// ParseCommitMsg reads the argument of a commit-msg hook: the file that holds
// the message.
func ParseCommitMsg(args []string) (file string, err error) {
	if len(args) != 1 || args[0] == "" {
		return "", wantArguments(CommitMsg, "the file of the message", args)
	}
	return args[0], nil
}

// ParsePreCommit refuses arguments, which a pre-commit hook has none of.
func ParsePreCommit(args []string) error {
	if len(args) != 0 {
		return wantArguments(PreCommit, "none", args)
	}
	return nil
}
