package main

import "strings"

// A variable is what the environment says to git-dos: the names that are read
// for it, strongest first.
type variable struct {
	Names []string
	Means string
}

// variables lists what verbs read from the environment. The manual prints it,
// and config takes the names of a setting's variables from here.
func variables() []variable {
	return []variable{
		{workspaceEnv, "the repository to work in, in place of the current directory; -C is stronger"},
		{[]string{"GIT_DOS_REMOTE"}, "the remote of the fleet, in place of git config dos.remote"},
		{[]string{"GIT_DOS_NODE", "DISPATCH_HOST_ID"}, "the name of this node, in place of git config dos.node"},
		{[]string{"GIT_DOS_OWNER", "FLEET_WORKER_ID"}, "who works, for people to read, in place of git config dos.owner; --owner is stronger"},
		{[]string{"GIT_DOS_NONCE"}, "the nonce of the lease to act under; --nonce is stronger"},
		{[]string{"GIT_DOS_RUN_ID", "DISPATCH_RUN_ID", "CID_RUN_ID"}, "the run that is at work; --run-id is stronger"},
		{[]string{"CID_PROCESS_ID"}, "the process that run-id mint names a run after"},
		{[]string{"CID_ROOT_ID"}, "the first of the runs that a minted run descends from"},
		{[]string{"GIT_DOS_LEASE"}, "lane and generation of a worker's lease, set for it; only named to people"},
		{[]string{"GIT_DOS_OVERRIDE"}, "TOKEN: reason, parted by semicolons: lets findings of a gate through, on the record"},
		{[]string{"GIT_PROGRESS_DELAY"}, "after how many seconds a hook says that its gates are still at work, 2 by default"},
		{[]string{"NO_COLOR"}, "when not empty, no colour unless --color=always"},
		{[]string{"CLICOLOR_FORCE"}, "when neither empty nor 0, colour also where nobody looks; NO_COLOR is stronger"},
		{[]string{"TERM"}, "dumb means a terminal without colours"},
	}
}

// variablesIn are the variables that text names.
func variablesIn(text string) []variable {
	words := map[string]bool{}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r != '_' && (r < 'A' || r > 'Z') }) {
		words[w] = true
	}
	var in []variable
	for _, v := range variables() {
		for _, n := range v.Names {
			if words[n] {
				in = append(in, v)
				break
			}
		}
	}
	return in
}
