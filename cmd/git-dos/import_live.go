package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/internal/oldledger"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// importLease is the line of a lease that may still be at work.
func importLease(l oldledger.Lease) string {
	s := fmt.Sprintf("may live: lane %s of %s", verdict.Show(l.Lane), verdict.Show(firstOf(l.Holder, l.RunID, "an unnamed holder")))
	if l.AcquiredAt != "" {
		s += ", since " + verdict.Show(l.AcquiredAt)
	}
	if heard := firstOf(l.HeartbeatAt, l.AcquiredAt); heard != "" {
		return s + ", last heard of at " + verdict.Show(heard)
	}
	return s + ", and nothing says since when"
}

// importKeep are the commands that keep others off the lanes of leases. One that is
// not declared and of which no tree is known cannot be asked for.
func importKeep(declared []string, live []oldledger.Lease) (commands []string) {
	for _, l := range live {
		command := "git dos lease acquire --lane " + verdict.ShellWord(l.Lane)
		if !slices.Contains(declared, strings.ToLower(l.Lane)) {
			if len(l.Tree) == 0 {
				continue
			}
			for _, glob := range l.Tree {
				command += " --tree " + verdict.ShellWord(glob)
			}
		}
		if l.Lane != "" && !slices.Contains(commands, command) {
			commands = append(commands, command)
		}
	}
	return commands
}
