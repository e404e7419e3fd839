package setup

import "sync"

// A Known is one thing that doctor can say. Its number and its word are there to
// stay: a check that is given up leaves its number unused.
type Known struct {
	Number   string
	ID       string
	Severity Severity // the gravest that it can be
	Says     string
	Remedy   string // in general; the check itself has the command
	Fixed    bool   // --fix can put it right
}

// Catalogue lists everything that doctor can say, by number.
func Catalogue() []Known {
	return append(append(ofPlace(), ofState()...), ofRemote()...)
}

// ofPlace are the checks on the machine, the repository and its rules.
func ofPlace() []Known {
	return []Known{
		{"D001", "GIT", Error, "which git runs, and whether it is new enough", "install a newer git", false},
		{"D002", "REPOSITORY", Error, "whether git finds a repository here", "run it inside one, or name one with `--workspace`", false},
		{"D003", "UNSAFE_DIRECTORY", Error, "git will not work in a repository of another owner", "`git config --global --add safe.directory`, if that owner is to be trusted", false},
		{"D004", "SHAPE", Error, "git's settings, where they cannot be read", "whatever git says is wrong with them", false},
		{"D005", "OBJECT_FORMAT", OK, "sha1 or sha256", "", false},
		{"D006", "BARE", Info, "nobody works in a bare repository", "", false},
		{"D007", "NO_WORK_TREE", Warn, "this is not inside the work tree", "run it from there", false},
		{"D008", "WORKTREE", Info, "a linked worktree remembers its own leases", "", false},
		{"D009", "SHALLOW", Warn, "history is cut, so that no ship beyond it can be ruled out", "`git fetch --unshallow`", false},
		{"D010", "PARTIAL_CLONE", Info, "reading history may reach for the network", "", false},
		{"D011", "SPARSE", Info, "lanes cover files that are not checked out", "", false},
		{"D012", "REF_FORMAT", Warn, "refs are not kept as files, where lock files are looked for", "", false},
		{"D013", "SUBMODULE", Error, "a submodule has lanes of its own; an error where that cannot be told", "", false},
		{"D014", "GO_GIT", Info, "what of this repository go-git, and so tools built on it, will not open", "", false},
		{"D015", "IDENTITY", Warn, "git does not know whose commits are made here", "`git config user.name` and `user.email`", false},
		{"D016", "DISK", Error, "how much room is left", "make room", false},
		{"D020", "REFSPEC", Error, "the settings of remotes, where they cannot be read", "whatever git says is wrong with them", false},
		{"D021", "FETCH_REFSPEC", Error, "a plain `git fetch` would overwrite leases and journals", "`git config --unset` of that refspec", false},
		{"D022", "PUSH_MIRROR", Warn, "a plain `git push` would delete the fleet's refs on a remote", "`git config --unset` of that mirror", false},
		{"D030", "POLICY", Error, "what `dos.toml` declares, or each thing that is wrong with it", "the line that is named; `git dos init` where there is none", false},
		{"D031", "IGNORED_KEY", Info, "a key of the older kernel that has no effect", "", false},
		{"D032", "POLICY_APART", Error, "this `dos.toml` and the trunk's differ, and this one decides; an error where that cannot be told", "`git diff` against the trunk, then commit or merge", false},
		{"D033", "TRUNK", Error, "the branch that work is shipped to, and where the rules come from", "name it as `[trunk] ref`, or what the check says", false},
		{"D034", "FLEET", Error, "who decides about lanes", "`git config dos.remote NAME`, or `git dos lease live` to read it", false},
		{"D035", "WORKSPACE", Error, "this is git-dos's own source; an error where that cannot be told", "", false},
	}
}

// ofState are the checks on what git-dos keeps.
func ofState() []Known {
	return []Known{
		{"D040", "REFS", Error, "whether all refs of git-dos can be read", "", false},
		{"D041", "BROKEN_REF", Error, "a ref that holds no entry, or none that can be read", "`git update-ref` back to the last good entry, when whoever wrote the rest agrees", false},
		{"D042", "FOREIGN_FORMAT", Error, "an entry of a newer git-dos", "update git-dos", false},
		{"D043", "DELEGATION", Error, "a lane that this node has on the fleet's remote", "`git dos sync`, or the command that gives it up", false},
		{"D044", "TWO_LEDGERS", Error, "one node's ledger is one thing here and another on the remote", "another `dos.node` for one of the two", false},
		{"D045", "LEDGER_ASIDE", Error, "a ledger that counts no more; an error where that cannot be told", "the command that keeps it out of the way, or the one that gives it up", false},
		{"D046", "PACKED_REFS", Warn, "how large the file of packed refs is, which git writes anew for each that is deleted", "delete refs that nobody needs, then `git pack-refs --all`", false},
		{"D050", "LOCK", Info, "a lock file that is being held", "", false},
		{"D051", "STALE_LOCK", Error, "a lock file that was left behind", "`rm`, when no git runs here", true},
		{"D052", "INTENT", Warn, "a write to refs was cut off", "nothing: the next verb that writes cleans up", true},
		{"D053", "NODE", Error, "the name of this clone", "nothing: the next verb that writes makes one", true},
		{"D054", "HELD_LEASE", Error, "a lease that this worktree remembers, and may have no more", "stop working on it; `git dos lease release` forgets it", false},
		{"D055", "SCRATCH", Error, "a temporary folder that a killed git-dos left; an error where that cannot be told", "`git dos doctor --fix`", true},
		{"D060", "HOOKS", Error, "whether git asks git-dos before it commits and pushes", "`git dos hooks install`", false},
		{"D061", "GATE_NOT_ARMED", Error, "a hook that was installed and is not run from here", "`git dos hooks install`, or what the check says", true},
	}
}

// ofRemote are the checks on a remote, made only when asked.
func ofRemote() []Known {
	return []Known{
		{"D080", "REMOTE_REACH", Error, "whether the remote answers", "make `git ls-remote` work without a question", false},
		{"D081", "REMOTE_LOCKS", Error, "lock files in the way of the fleet's refs there", "`git dos doctor --remote --fix`", true},
		{"D082", "REMOTE_STATE", Error, "whether the fleet's refs that were seen there are gone", "`git dos sync`, which shows what is gone", false},
		{"D083", "REMOTE_NAMESPACE", Error, "whether it takes refs below the fleet's prefix", "see REMOTE_PREFIX", false},
		{"D084", "REMOTE_PREFIX", Error, "whether it takes branches in their place", "`git dos init --remote NAME --prefix refs/heads/dos`", false},
		{"D085", "REMOTE_CREATE", OK, "a ref that was created is shown to readers", "", false},
		{"D086", "REMOTE_ADVANCE", Error, "whether a ref moves forward", "another remote for coordination", false},
		{"D087", "REMOTE_SWAP", Error, "whether a ref moves only from where it was seen", "another remote for coordination", false},
		{"D088", "REMOTE_ATOMIC", Error, "whether refs move together or not at all", "another remote for coordination", false},
		{"D089", "REMOTE_REWIND", Error, "whether a ref can be moved back; an error where that cannot be told", "`git dos hooks install --server DIR`, or an update hook on the server", false},
		{"D090", "REMOTE_DELETE", Error, "whether a ref can be deleted; an error where that cannot be told", "`git dos hooks install --server DIR`, or an update hook on the server", false},
		{"D091", "REMOTE_SCRATCH", Info, "scratch refs that could not be deleted", "", false},
		{"D092", "REMOTE_CLOCK", Error, "how far its clock is from the one here", "set both clocks by the network", false},
		{"D093", "REMOTE_RATE", Info, "how often this node publishes there", "", false},
	}
}

// numbers are those of the catalogue, by word, made when first asked for.
var numbers = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, k := range Catalogue() {
		all[k.ID] = k.Number
	}
	return all
})
