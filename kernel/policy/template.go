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

// Template is a new repository's dos.toml with the given lanes, in order, as
// concurrent lanes that are also offered unasked, and global as the exclusive
// one. A lane named global is left out, the exclusive one covers its files.
// Without lanes there is one, main, that covers everything. The lanes must be
// legal (CheckLaneName) and distinct after lower-casing.
func Template(lanes []LaneTree) []byte {
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
	return fmt.Appendf(nil, template, tomlList(names), tomlList(names), trees.String())
}

const template = `# How the workers of this repository share it. A key that is not stated here
# has a default; a key that is not known is an error.

[lanes]
# Lanes that may be held side by side, as long as their trees are disjoint.
concurrent = %s
# Lanes held alone.
exclusive = ["global"]
# What a worker is offered that names no lane, in this order.
autopick = %s

[lanes.trees]
# The files each lane covers, relative to the top of the repository. A file
# in none of them, such as one at the top level, is edited under global.
%sglobal = ["**/*"]

[overlap]
# Two trees collide when some path could match both.
policy = "glob"

[heartbeats]
# How often the supervisor is expected to be heard of.
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
