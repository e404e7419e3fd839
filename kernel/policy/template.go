package policy

import (
	"fmt"
	"strings"
)

// LaneTree is a lane to declare and the globs it covers.
type LaneTree struct {
	Lane string
	Tree []string
}

// Template is a new repository's dos.toml. It states the trunk, unless that is
// "", and the given lanes, in order, as concurrent lanes that are also offered
// unasked, and global as the exclusive one. A lane named global is left out,
// the exclusive one covers its files. Without lanes there is one, main, that
// covers everything. The lanes must be legal (CheckLaneName) and distinct after
// lower-casing.
func Template(trunk string, lanes []LaneTree) []byte {
	var names []string
	var trees strings.Builder
	for _, l := range lanes {
		if fold(l.Lane) == "global" {
			continue
		}
		names = append(names, l.Lane)
		fmt.Fprintf(&trees, "%s = %s\n", tomlKey(l.Lane), tomlList(l.Tree))
	}
	if len(names) == 0 {
		names = []string{"main"}
		trees.WriteString("main = [\"**/*\"]\n")
	}
	return fmt.Appendf(nil, template, TemplateTrunk(trunk), tomlList(names), tomlList(names), trees.String())
}

// TemplateTrunk is the [trunk] table that is appended to a dos.toml without
// one, beginning with a blank line; nothing when the branch is "".
func TemplateTrunk(branch string) []byte {
	if branch == "" {
		return nil
	}
	return fmt.Appendf(nil, templateTrunk, tomlString(branch))
}

const templateTrunk = `
[trunk]
# The branch that work ships to, on the fleet's remote where there is one. It
# is the same for every clone and worktree, whatever is checked out there.
ref = %s
`

const template = `# How the workers of this repository share it. A key that is not stated here
# has a default; a key that is not known is an error.
%s
[lanes]
# Lanes that may be held side by side, as long as their trees are disjoint.
concurrent = %s
# Lanes held alone.
exclusive = ["global"]
# Lanes that may be chosen for a worker who asks for none in particular, in
# this order. Whoever asks for a lane by name is not concerned.
autopick = %s

[lanes.trees]
# The files each lane covers, relative to the top of the repository. A file
# in none of them, such as one at the top level, is edited under global. To
# have a lane more, name it in concurrent and state its globs here.
%sglobal = ["**/*"]

[overlap]
# Two trees collide when some path could match both.
policy = "glob"

[heartbeats]
# Names under which a long-running process may say that it lives, each with
# the time within which it is to be heard of again. Further names go right
# below. git dos pulse and git dos decisions tell of one that is not heard of:
# take supervise out where nothing beats under that name.
supervise = "5m"
`

// TemplateFleet is the [fleet] table that is appended to a dos.toml without
// one, beginning with a blank line.
func TemplateFleet(id, prefix string) []byte {
	return fmt.Appendf(nil, templateFleet, tomlString(id), tomlString(prefix))
}

const templateFleet = `
[fleet]
# Every clone of the fleet carries the same id and looks for its refs on the
# remote below the same prefix.
id = %s
prefix = %s
`
